import { Serializers } from 'moleculer';
import { parseJson } from './exact-json.ts';

/** Serializes messages between nodes as JSON and keeps numbers of any length as they were sent. */
export class ExactSerializer extends Serializers.Base {
  override serialize(value: unknown): Buffer {
    return Buffer.from(JSON.stringify(value));
  }

  override deserialize(bytes: Buffer): unknown {
    return parseJson(bytes.toString());
  }
}
