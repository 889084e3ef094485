// Questions to the server. An answer is a line of JSON, and better ones follow while they become known.

const page = crypto.getRandomValues(new Uint32Array(2)).join("-");

// Yields the records of an answer; none after `signal` is aborted.
export async function* ask(name, question, signal) {
  let response;
  try {
    response = await fetch(`api/${name}`, {
      method: "POST", signal, headers: {"Content-Type": "application/json"}, body: JSON.stringify({...question, page}),
    });
  } catch (error) {
    if (error.name !== "AbortError") yield {error: "the explorer does not answer; start it again: stacksim explore"};
    return;
  }
  if (!response.ok) {
    yield {error: `the explorer refuses (${response.status}); open the address that it printed`};
    return;
  }
  yield* lines(response.body.pipeThrough(new TextDecoderStream()), signal);
}

async function* lines(stream, signal) {
  const reader = stream.getReader();
  let text = "";
  try {
    for (;;) {
      const {value, done} = await reader.read();
      if (done || signal?.aborted) return;
      const parts = (text + value).split("\n");
      text = parts.pop();
      for (const part of parts) yield JSON.parse(part);
    }
  } catch (error) {
    if (error.name !== "AbortError") yield {error: "the explorer has ended; start it again: stacksim explore"};
  }
}

// The only record of an answer that has but one.
export async function askOnce(name, question) {
  for await (const record of ask(name, question)) return record;
  return {error: "the explorer gives no answer; start it again: stacksim explore"};
}
