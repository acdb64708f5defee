# syntax=docker/dockerfile:1
# The image holds Node, the libraries it links and the package: no shell, no package manager. Node brings the public CAs.
# docker build --build-arg COMMIT="$(git rev-parse HEAD)" lets `stalewatch version` name the commit.
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
COPY tools/node tools/node
RUN npm ci --ignore-scripts
COPY . .
ARG COMMIT=""
RUN npm run build && scripts/image-root.sh /image

FROM scratch
COPY --from=build /image /
# Any user works: nothing is written, so the root file system can be read-only.
USER 65532:65532
ENV NODE_ENV=production
EXPOSE 8443 8081
ENTRYPOINT ["/usr/local/bin/node", "/app/bin/stalewatch.js"]
CMD ["run"]
