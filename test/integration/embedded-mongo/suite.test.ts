import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { embeddedDifferences } from './embedded-differences.ts';
import { defineMongoSuite } from './suite/suite.ts';

describe('the embedded database', () => {
  const started: { dir?: string; server?: EmbeddedMongo } = {};

  beforeAll(async () => {
    started.dir = await mkdtemp(join(tmpdir(), 'mongo-suite-'));
    started.server = await startEmbeddedMongo({ dir: started.dir });
  });

  // Before the end below, so that its own end comes first.
  defineMongoSuite(() => started.server!.url, embeddedDifferences);

  afterAll(async () => {
    await started.server?.close();
    await rm(started.dir!, { recursive: true, force: true });
  });
});
