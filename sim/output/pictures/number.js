// Numbers as people write them: the same texts as number_text of sim/engine/units/text.py. Imports nothing, so that a page
// can contain it.

const DIGITS = 4;
const SEPARATED = 1e4;
const WRITTEN_OUT = [1e-6, 1e9];

// `value` with so many digits that count; thousands apart from 10,000 on, an exponent only where nobody would write it out.
export function numberText(value, digits = DIGITS) {
  if (value === null || Number.isNaN(value)) return "–";
  const rounded = Number(value.toPrecision(digits)), size = Math.abs(rounded);
  if (size && (size < WRITTEN_OUT[0] || size >= WRITTEN_OUT[1])) {
    const [mantissa, power] = rounded.toExponential().split("e");
    return `${mantissa}e${power[0]}${power.slice(1).padStart(2, "0")}`;
  }
  return rounded.toLocaleString("en-GB", {maximumSignificantDigits: digits, useGrouping: size >= SEPARATED});
}
