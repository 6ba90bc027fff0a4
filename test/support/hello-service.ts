import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { type Client, type Connection, clientOf } from './client.ts';
import { eventually } from './until.ts';

const example = join(import.meta.dirname, '..', '..', 'examples', 'hello-service', 'hello');

type Greeted = { id: string; greeting: string; mood?: string };

/** The example service in a folder of its own below SERVICES_DIR, as somebody outside the repository has it. */
export class HelloService {
  readonly folder: string;

  constructor(servicesDir: string) {
    this.folder = join(servicesDir, 'hello');
    cpSync(example, this.folder, { recursive: true });
  }

  /** Changes a helper, the model and what an endpoint answers, as an engineer would. */
  change(): void {
    this.#replace('words.ts', 'Hello', 'Good day');
    this.#replace('greeting.ts', 'name: String,', 'name: String, mood: String,');
    this.#replace('greeting.ts', 'name: string;', 'name: string; mood?: string;');
    this.#replace(
      'greeting.ts',
      'schema.index({ createdAt',
      'schema.index({ orgId: 1, mood: 1 });\nschema.index({ createdAt',
    );
    this.#replace('actions.ts', 'greeting: z.string()', 'greeting: z.string(), mood: z.string()');
    this.#replace('actions.ts', 'orgId, name,', "orgId, name, mood: 'glad',");
    this.#replace(
      'actions.ts',
      'return { id, greeting: greetingFor(name) };',
      "const stored = await GreetingModel.findOne({ orgId, _id: id }).lean();\n    return { id, greeting: greetingFor(name), mood: stored?.mood ?? 'lost' };",
    );
  }

  /** Has it import a file outside its own folder, which holds a text. */
  share(text: string): void {
    writeFileSync(join(this.folder, '..', 'shared.ts'), `export const shared = '${text}';`);
    const path = join(this.folder, 'words.ts');
    const words = readFileSync(path, 'utf8');
    if (!words.includes('shared.ts')) writeFileSync(path, `import '../shared.ts';\n${words}`);
  }

  #replace(file: string, from: string, to: string): void {
    const path = join(this.folder, file);
    const text = readFileSync(path, 'utf8');
    expect(text).toContain(from);
    writeFileSync(path, text.replace(from, to));
  }
}

/** What the service's endpoint answers to somebody: `404`, or `201 Hello, Ada!`. */
export async function greet(client: Client): Promise<string> {
  const { status, body } = await client.send<Greeted | null>('POST', '/v1/hello', { name: 'Ada' });
  if (status !== 201) return String(status);
  return [status, body?.greeting, body?.mood].filter((part) => part !== undefined).join(' ');
}

/** Waits until every gateway answers somebody so. */
export async function untilGreeted(urls: string[], who: Omit<Connection, 'url'>, answer: string): Promise<void> {
  for (const url of urls) await eventually(async () => expect(await greet(clientOf({ ...who, url }))).toBe(answer));
}
