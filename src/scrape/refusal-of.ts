import type { Dispatcher } from "undici";
import { ScrapeError } from "./scrape-error.ts";

/** Why this answer is no page of metrics; undefined when it may be one. `server` is `https://host:port`. */
export function refusalOf(
  { statusCode, headers }: Pick<Dispatcher.ResponseData, "statusCode" | "headers">,
  server: string,
): ScrapeError | undefined {
  if (statusCode === 401) {
    const remedy = "give a token with --target-token-file, or a client certificate with --target-cert-file";
    return new ScrapeError("unauthorized", `${server} does not know who asks (401)`, remedy);
  }
  if (statusCode === 403) {
    const remedy = `allow it: a ClusterRole with nonResourceURLs: ["/metrics"], verbs: ["get"]`;
    return new ScrapeError("forbidden", `${server} knows who asks and refuses (403)`, remedy);
  }
  if (statusCode >= 300 && statusCode < 400) {
    // Where it leads may hold a secret, and following it could carry the token there.
    const remedy = "name the address that it leads to; redirects are not followed";
    return new ScrapeError("redirected", `${server} redirects (${statusCode})`, remedy);
  }
  if (statusCode !== 200) {
    return new ScrapeError("bad_status", `${server} answers ${statusCode}`, "check the path of the URL and its log");
  }
  const [type = ""] = [headers["content-type"] ?? ""].flat().map((value) => value.split(";")[0]?.trim().toLowerCase());
  if (type !== "" && type !== "text/plain" && type !== "application/openmetrics-text") {
    const remedy = "name the URL of its /metrics in the Prometheus text format";
    return new ScrapeError("not_metrics", `${server} answers with another kind of page`, remedy);
  }
  const [encoding = ""] = [headers["content-encoding"] ?? ""].flat();
  if (!["", "gzip", "identity"].includes(encoding)) {
    const remedy = "let it answer as it is asked to, or with gzip";
    return new ScrapeError("not_metrics", `${server} packs its answer in a way that was not asked for`, remedy);
  }
  return undefined;
}
