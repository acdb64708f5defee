import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Request, Response } from "express";

const compress: (data: Buffer, options: { level: number }) => Promise<Buffer> = promisify(gzip);

/** Below this the header costs more than compression saves. */
const WORTH_COMPRESSING = 1_024;

/** Metrics repeat themselves: higher levels save little more and cost much. */
const LEVEL = 3;

/** Sends `body`, compressed off the event loop when the caller takes that. */
export async function send(request: Request, response: Response, contentType: string, body: Buffer): Promise<void> {
  response.setHeader("content-type", contentType);
  response.vary("accept-encoding");
  const wantsGzip = body.length >= WORTH_COMPRESSING && request.acceptsEncodings("gzip", "identity") === "gzip";
  const sent = wantsGzip ? await compress(body, { level: LEVEL }) : body;
  if (wantsGzip) response.setHeader("content-encoding", "gzip");
  response.setHeader("content-length", sent.length);
  response.end(sent);
}
