// Messages: exact comparison, and what delivery may put before one.
import { createHash } from 'node:crypto';

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

// Line ends made CRLF. A bare CR is no line end and stays.
export function withCrlf(bytes) {
  return Buffer.from(bytes.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1');
}

// DATA ends at a line of one dot behind CRLF, so what does not end with CRLF goes by BDAT, which counts.
export const goesByBdat = (bytes) => bytes.length > 0 && bytes.subarray(-2).toString('latin1') !== '\r\n';

// Splits what was served into the trace that delivery put before it and the message of `size` bytes.
export function splitTrace(served, size) {
  const trace = served.subarray(0, served.length - size).toString('latin1');
  return { trace, message: served.subarray(served.length - size) };
}

export const tracePattern = /^(?:(?:Return-Path|Delivered-To|Received): [^\r\n]*\r\n(?:[ \t][^\r\n]*\r\n)*)+$/;

export function simpleMessage({ id, subject = 'test', from = 'sender@example.com', body = 'body', more = '' }) {
  return Buffer.from(
    `From: <${from}>\r\nSubject: ${subject}\r\nX-Test-Id: ${id}\r\n${more}\r\n${body}\r\n`);
}
export const testId = (bytes) => /^X-Test-Id: (\S+)/m.exec(bytes.toString('latin1'))?.[1];
