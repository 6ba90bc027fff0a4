import { decodeDocument } from './bson/decode.ts';
import { encodeDocument } from './bson/encode.ts';
import { commandDepthLimit, validateDocument } from './bson/layout.ts';
import type { Document, Fields } from './bson/value.ts';
import { badValue } from './errors.ts';

/** A parsed command message. */
export type Message = {
  requestId: number;
  body: Document;
  /** Document sequences by field name; not yet validated. */
  sequences: Map<string, Buffer[]>;
  /** Opcode of the reply. */
  protocol: 'message' | 'query';
  wantsReply: boolean;
};

const opcodes = { reply: 1, query: 2004, message: 2013 };
export const headerBytes = 16;
export const messageSizeLimitBytes = 48_000_000;

const flags = { checksumPresent: 1, moreToCome: 2 };

/** Parses a complete OP_MSG, or the OP_QUERY that drivers send first. Throws BadValue for anything else. */
export function parseMessage(bytes: Buffer): Message {
  const requestId = bytes.readInt32LE(4);
  const opcode = bytes.readInt32LE(12);
  if (opcode === opcodes.message) return parseOpMsg(bytes, requestId);
  if (opcode === opcodes.query) return parseOpQuery(bytes, requestId);
  throw badValue(`The wire protocol opcode ${opcode} is not supported`);
}

function parseOpMsg(bytes: Buffer, requestId: number): Message {
  const flagBits = bytes.readUInt32LE(headerBytes);
  const end = flagBits & flags.checksumPresent ? bytes.length - 4 : bytes.length;
  const sequences = new Map<string, Buffer[]>();
  let body: Document | undefined;
  let offset = headerBytes + 4;
  while (offset < end) {
    const kind = bytes[offset++];
    const size = bytes.readInt32LE(offset);
    if (size < 5 || offset + size > end) throw badValue('A section of the message has a wrong length');
    const section = bytes.subarray(offset, offset + size);
    if (kind === 0) body = parseBody(section);
    else if (kind === 1) parseSequence(section, sequences);
    else throw badValue(`The message section kind ${kind} is not supported`);
    offset += size;
  }
  if (!body) throw badValue('The message has no body');
  return { requestId, body, sequences, protocol: 'message', wantsReply: (flagBits & flags.moreToCome) === 0 };
}

function parseBody(section: Buffer): Document {
  validateDocument(section, commandDepthLimit);
  return decodeDocument(section);
}

function parseSequence(section: Buffer, sequences: Map<string, Buffer[]>): void {
  const nameEnd = section.indexOf(0, 4);
  if (nameEnd < 0) throw badValue('A section of the message has no name');
  const documents: Buffer[] = [];
  let offset = nameEnd + 1;
  while (offset < section.length) {
    const size = offset + 4 <= section.length ? section.readInt32LE(offset) : 0;
    if (size < 5 || offset + size > section.length) throw badValue('A document of the message has a wrong length');
    documents.push(section.subarray(offset, offset + size));
    offset += size;
  }
  sequences.set(section.toString('utf8', 4, nameEnd), documents);
}

/** Accepts only commands on `<database>.$cmd`, which drivers use for the first hello. */
function parseOpQuery(bytes: Buffer, requestId: number): Message {
  const nameEnd = bytes.indexOf(0, headerBytes + 4);
  const namespace = bytes.toString('utf8', headerBytes + 4, nameEnd);
  if (nameEnd < 0 || !namespace.endsWith('.$cmd')) throw badValue('OP_QUERY is supported for the handshake only');
  const start = nameEnd + 9;
  const body = parseBody(bytes.subarray(start, start + bytes.readInt32LE(start)));
  body.set('$db', namespace.slice(0, -'.$cmd'.length));
  return { requestId, body, sequences: new Map(), protocol: 'query', wantsReply: true };
}

let lastRequestId = 0;

/** Encodes a reply to `message` for the socket. */
export function formatReply(message: Pick<Message, 'requestId' | 'protocol'>, reply: Fields): Buffer {
  return message.protocol === 'message'
    ? formatOpMsg(message.requestId, reply)
    : formatOpReply(message.requestId, reply);
}

function formatOpMsg(responseTo: number, reply: Fields): Buffer {
  const document = encodeDocument(reply);
  const bytes = Buffer.allocUnsafe(headerBytes + 5 + document.length);
  writeHeader(bytes, responseTo, opcodes.message);
  bytes.writeUInt32LE(0, headerBytes);
  bytes[headerBytes + 4] = 0;
  document.copy(bytes, headerBytes + 5);
  return bytes;
}

function formatOpReply(responseTo: number, reply: Fields): Buffer {
  const document = encodeDocument(reply);
  const bytes = Buffer.alloc(headerBytes + 20 + document.length);
  writeHeader(bytes, responseTo, opcodes.reply);
  bytes.writeInt32LE(1, headerBytes + 16);
  document.copy(bytes, headerBytes + 20);
  return bytes;
}

function writeHeader(bytes: Buffer, responseTo: number, opcode: number): void {
  lastRequestId = (lastRequestId + 1) & 0x7fffffff;
  bytes.writeInt32LE(bytes.length, 0);
  bytes.writeInt32LE(lastRequestId, 4);
  bytes.writeInt32LE(responseTo, 8);
  bytes.writeInt32LE(opcode, 12);
}
