import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import {
  createTransformer,
  type ImageSource,
  type Transformer,
  type TransformerOptions,
} from '../../../../services/storage/images/transformer.ts';
import { eventually, until } from '../../../support/until.ts';
import { noise, solid, white } from './test-images.ts';

const wanted = { width: 20, height: null, fit: 'cover', quality: 80, format: 'png' } as const;
const opened: Transformer[] = [];
let source: Buffer;

beforeAll(async () => {
  source = await solid(40, 20, white).png().toBuffer();
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((transformer) => transformer.close()));
});

function newTransformer(options: Partial<TransformerOptions> = {}): Transformer {
  const transformer = createTransformer({ processes: 1, maxWaiting: 10, timeoutMilliseconds: 20_000, ...options });
  opened.push(transformer);
  return transformer;
}

const of =
  (...chunks: Buffer[]): ImageSource =>
  async () =>
    Readable.from(chunks);

const never = () => new Promise<never>(() => undefined);

/** A source that is opened when the test allows it. */
function gate() {
  let isOpened = false;
  const { promise, resolve: allow } = Promise.withResolvers<void>();
  const held: ImageSource = async () => {
    isOpened = true;
    await promise;
    return Readable.from([source]);
  };
  return { held, allow, isOpened: () => isOpened };
}

const failure = (reason: string) => expect.objectContaining({ name: 'TransformError', reason });

/** The failure that a promise has by now or later; it is handled from the start. */
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => ({ value }),
    (error) => error,
  );

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('worker processes', () => {
  test('start on the first use, serve again, and end without work', async () => {
    const transformer = newTransformer({ idleMilliseconds: 300 });
    expect(transformer.pids()).toEqual([]);
    await transformer.transform(of(source), wanted);
    const [first] = transformer.pids();
    await transformer.transform(of(source), wanted);
    expect(transformer.pids()).toEqual([first]);
    await until(() => transformer.pids().length === 0);
    expect(isRunning(first!)).toBe(false);
    await expect(transformer.transform(of(source), wanted)).resolves.toMatchObject({ width: 20, height: 10 });
  });

  test('are at most as many as are allowed', async () => {
    const transformer = newTransformer({ processes: 2 });
    await Promise.all(Array.from({ length: 10 }, () => transformer.transform(of(source), wanted)));
    expect(transformer.pids().length).toBe(2);
  });

  test('see nothing of the environment', async () => {
    const transformer = newTransformer();
    await transformer.transform(of(source), wanted);
    const [pid] = transformer.pids();
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .filter(Boolean)
      .map((entry) => entry.split('=')[0]!);
    expect(names.filter((name) => !name.startsWith('NODE_CHANNEL_')).sort()).toEqual([
      'MALLOC_ARENA_MAX',
      'UV_THREADPOOL_SIZE',
    ]);
  });

  test('that are killed while idle are replaced', async () => {
    const transformer = newTransformer();
    await transformer.transform(of(source), wanted);
    process.kill(transformer.pids()[0]!, 'SIGKILL');
    await expect(transformer.transform(of(source), wanted)).resolves.toMatchObject({ width: 20 });
  });

  test('that are killed at work fail nothing the first time', async () => {
    const transformer = newTransformer({ processes: 2 });
    await Promise.all([of(source), of(source)].map((each) => transformer.transform(each, wanted)));
    const [killed, other] = transformer.pids();
    // Stopped, so that it cannot finish before it is killed.
    process.kill(killed!, 'SIGSTOP');
    const both = Promise.all([of(source), of(source)].map((each) => transformer.transform(each, wanted)));
    process.kill(killed!, 'SIGKILL');
    expect((await both).map(({ width }) => width)).toEqual([20, 20]);
    expect(transformer.pids()).toContain(other);
    expect(transformer.pids()).not.toContain(killed);
  });

  test('that are killed twice at the same transform fail it, and not the next', async () => {
    const transformer = newTransformer();
    const killed = new Set<number>();
    const outcome = failureOf(transformer.transform(of(source), wanted));
    await until(() => {
      for (const pid of transformer.pids()) {
        killed.add(pid);
        process.kill(pid, 'SIGKILL');
      }
      return killed.size === 2;
    });
    expect(await outcome).toEqual(failure('failed'));
    await expect(transformer.transform(of(source), wanted)).resolves.toMatchObject({ width: 20 });
  });

  test('take over what waits behind the long work of another', async () => {
    const transformer = newTransformer({ processes: 2 });
    const make = () => transformer.transform(of(source), wanted);
    await Promise.all([make(), make()]);
    const [stopped] = transformer.pids();
    process.kill(stopped!, 'SIGSTOP');
    const left = [make(), make(), make(), make(), make()].map((work) => work.then(() => 'made'));
    const settled = () => Promise.all(left.map((work) => Promise.race([work, Promise.resolve('waits')])));
    // Only the one that the stopped process has begun.
    await eventually(async () => expect((await settled()).filter((state) => state === 'waits')).toHaveLength(1));
    process.kill(stopped!, 'SIGCONT');
    expect(await Promise.all(left)).toEqual(left.map(() => 'made'));
    await expect(Promise.all([make(), make(), make()])).resolves.toHaveLength(3);
    expect(transformer.pids()).toContain(stopped);
  });

  test('end with the process that started them, however it ends', async () => {
    const program = spawn(process.execPath, [join(import.meta.dirname, 'transforming.ts')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(createInterface(program.stdout), 'line');
    const pid = Number(line);
    expect(isRunning(pid)).toBe(true);
    program.kill('SIGKILL');
    await until(() => !isRunning(pid));
  });
});

describe('the time limit', () => {
  test('ends a transform whose process hangs, and replaces the process', async () => {
    const transformer = newTransformer({ timeoutMilliseconds: 6_000 });
    await transformer.transform(of(source), wanted);
    const [hanging] = transformer.pids();
    process.kill(hanging!, 'SIGSTOP');
    expect(await failureOf(transformer.transform(of(source), wanted))).toEqual(failure('too-slow'));
    await until(() => !transformer.pids().includes(hanging!));
    await expect(transformer.transform(of(source), wanted)).resolves.toMatchObject({ width: 20 });
  });

  test('ends a transform of a large image', async () => {
    const small = await noise(500, 500).png().toBuffer();
    const large = await sharp(small).resize(6000, 6000, { kernel: 'nearest' }).jpeg().toBuffer();
    const transformer = newTransformer({ timeoutMilliseconds: 1_000 });
    const outcome = failureOf(transformer.transform(of(large), { ...wanted, width: null, format: 'avif' }));
    expect(await outcome).toEqual(failure('too-slow'));
  });

  test.each<[string, ImageSource]>([
    ['is never opened', never],
    ['never ends', async () => new Readable({ read: () => undefined })],
  ])('ends a transform whose source %s', async (_name, hanging) => {
    const transformer = newTransformer({ timeoutMilliseconds: 100 });
    expect(await failureOf(transformer.transform(hanging, wanted))).toEqual(failure('too-slow'));
    expect(transformer.pids()).toEqual([]);
  });

  test('closes a source that is opened too late', async () => {
    const late = Readable.from([source]);
    const { promise, resolve } = Promise.withResolvers<Readable>();
    const transformer = newTransformer({ timeoutMilliseconds: 100 });
    expect(await failureOf(transformer.transform(() => promise, wanted))).toEqual(failure('too-slow'));
    resolve(late);
    await until(() => late.destroyed);
  });
});

describe('the queue', () => {
  test('serves in order, opens no source before its turn, and refuses what it has no room for', async () => {
    const transformer = newTransformer({ processes: 1, maxWaiting: 2 });
    const gates = [gate(), gate(), gate(), gate()];
    const done: number[] = [];
    const work = gates.map(async ({ held }, place) => {
      await transformer.transform(held, wanted);
      done.push(place);
    });
    // The second is read while the process has the first.
    await until(() => gates[1]!.isOpened());
    expect(await failureOf(transformer.transform(of(source), wanted))).toEqual(failure('busy'));
    expect(gates.map(({ isOpened }) => isOpened())).toEqual([true, true, false, false]);
    for (const { allow } of gates) allow();
    await Promise.all(work);
    expect(done).toEqual([0, 1, 2, 3]);
    await expect(transformer.transform(of(source), wanted)).resolves.toMatchObject({ width: 20 });
  });

  test('refuses what waited too long, and then serves the next', async () => {
    const transformer = newTransformer({ maxWaitMilliseconds: 50 });
    const gates = [gate(), gate()];
    const work = gates.map(({ held }) => transformer.transform(held, wanted));
    await until(() => gates.every(({ isOpened }) => isOpened()));
    expect(await failureOf(transformer.transform(of(source), wanted))).toEqual(failure('busy'));
    for (const { allow } of gates) allow();
    await Promise.all(work);
    await expect(transformer.transform(of(source), wanted)).resolves.toMatchObject({ width: 20 });
  });
});

describe('AVIF', () => {
  test('leaves half of the processes to other formats', async () => {
    const transformer = newTransformer({ processes: 2 });
    const avif = { ...wanted, format: 'avif' } as const;
    const gates = Array.from({ length: 4 }, gate);
    const slow = gates.map(({ held }) => transformer.transform(held, avif, { owner: 'one' }));
    await until(() => gates[0]!.isOpened());
    await expect(transformer.transform(of(source), wanted, { owner: 'one' })).resolves.toMatchObject({ width: 20 });
    expect(gates.map(({ isOpened }) => isOpened())).toEqual([true, false, false, false]);
    for (const { allow } of gates) allow();
    expect((await Promise.all(slow)).map(({ type }) => type)).toEqual(slow.map(() => 'image/avif'));
  });
});

describe('a source', () => {
  test('of the same name as the last is kept by its process, and another is not taken for it', async () => {
    const transformer = newTransformer();
    const [first, second] = await Promise.all([noise(60, 20), noise(40, 40)].map((image) => image.png().toBuffer()));
    const make = (bytes: Buffer, sourceName?: string) =>
      transformer.transform(of(bytes), wanted, { ...(sourceName && { sourceName }) });
    const named = [make(first!, 'first'), make(first!, 'first'), make(second!, 'second'), make(first!, 'first')];
    expect((await Promise.all(named)).map(({ height }) => height)).toEqual([7, 7, 20, 7]);
    // It has the bytes already, so these are not looked at.
    await expect(make(second!, 'first')).resolves.toMatchObject({ height: 7 });
    await expect(make(second!)).resolves.toMatchObject({ height: 20 });
    await expect(make(first!)).resolves.toMatchObject({ height: 7 });
    process.kill(transformer.pids()[0]!, 'SIGKILL');
    await expect(make(second!, 'first')).resolves.toMatchObject({ height: 20 });
  });

  test('may come in any pieces', async () => {
    const pieces = Array.from({ length: source.length }, (_byte, place) => source.subarray(place, place + 1));
    await expect(newTransformer().transform(of(...pieces), wanted)).resolves.toMatchObject({ width: 20 });
  });

  test('with too many bytes is refused and closed, and starts no process', async () => {
    const transformer = newTransformer({ maxInputBytes: 100 });
    const stream = Readable.from([Buffer.alloc(60), Buffer.alloc(60), Buffer.alloc(60)]);
    expect(await failureOf(transformer.transform(async () => stream, wanted))).toEqual(failure('too-large'));
    expect([stream.destroyed, transformer.pids()]).toEqual([true, []]);
  });

  test.each<[string, (error: Error) => ImageSource]>([
    ['cannot be opened', (error) => () => Promise.reject(error)],
    [
      'fails while it is read',
      (error) => async () =>
        Readable.from(
          (function* () {
            yield source.subarray(0, 20);
            throw error;
          })(),
        ),
    ],
  ])('that %s fails with its own error', async (_name, make) => {
    const error = new Error('The store is down.');
    const transformer = newTransformer();
    expect(await failureOf(transformer.transform(make(error), wanted))).toBe(error);
    await expect(transformer.transform(of(source), wanted)).resolves.toMatchObject({ width: 20 });
  });

  test('of many bytes reaches the process whole', async () => {
    const large = await noise(2000, 1800).png({ compressionLevel: 0 }).toBuffer();
    expect(large.length).toBeGreaterThan(10_000_000);
    await expect(newTransformer().transform(of(large), wanted)).resolves.toMatchObject({ width: 20 });
  });
});

describe('closing', () => {
  test('ends the processes, and refuses what runs, waits and comes later', async () => {
    const transformer = newTransformer({ maxWaiting: 1 });
    await transformer.transform(of(source), wanted);
    const [pid] = transformer.pids();
    // Stopped, so that it cannot finish before it is closed.
    process.kill(pid!, 'SIGSTOP');
    const [runs, waits] = [of(source), of(source)].map((each) => failureOf(transformer.transform(each, wanted)));
    await transformer.close();
    expect([transformer.pids(), isRunning(pid!)]).toEqual([[], false]);
    const later = failureOf(transformer.transform(of(source), wanted));
    expect(await Promise.all([runs, waits, later])).toEqual([failure('busy'), failure('busy'), failure('busy')]);
    expect(transformer.pids()).toEqual([]);
  });

  test('ends what reads its source', async () => {
    const transformer = newTransformer();
    const stream = new Readable({ read: () => undefined });
    const outcome = failureOf(transformer.transform(async () => stream, wanted));
    await until(() => stream.listenerCount('close') > 0);
    await transformer.close();
    expect(await outcome).toEqual(failure('busy'));
    expect(stream.destroyed).toBe(true);
  });

  test('is done when nothing was ever transformed, and a second time', async () => {
    const transformer = newTransformer();
    await transformer.close();
    await transformer.close();
  });
});
