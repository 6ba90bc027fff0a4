import { expect, test } from '@jest/globals';
import { embeddedServer, prestartEmbeddedServer } from '../../../mixins/embedded-server.ts';
import { temporaryFolder } from './support/folder.ts';

test('a server that was started ahead is the one that is asked for, once', async () => {
  const dataDir = temporaryFolder();
  prestartEmbeddedServer(dataDir);
  const first = await embeddedServer(dataDir);
  // It holds the folder: a second server would be refused.
  await expect(embeddedServer(dataDir)).rejects.toMatchObject({ code: 'FOLDER_IN_USE' });
  await first.close();
  const second = await embeddedServer(dataDir);
  await second.close();
});

test('what fails ahead is thrown where the server is asked for', async () => {
  const dataDir = temporaryFolder();
  const owner = await embeddedServer(dataDir);
  prestartEmbeddedServer(dataDir);
  await expect(embeddedServer(dataDir)).rejects.toMatchObject({ code: 'FOLDER_IN_USE' });
  await owner.close();
});
