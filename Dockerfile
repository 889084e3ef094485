# stacksim alone: docker build --tag stacksim . && docker run --rm stacksim predict dbfs users=8
FROM docker.io/library/python:3.11-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN pip install --no-cache-dir --require-hashes --requirement requirements.lock \
    && pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels .

FROM docker.io/library/python:3.11-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir /wheels/*.whl && rm -rf /wheels
USER nobody
ENV HOME=/tmp
ENTRYPOINT ["stacksim"]
