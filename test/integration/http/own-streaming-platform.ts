import { afterAll, beforeAll } from '@jest/globals';
import { type Client, clientOf } from '../../support/client.ts';
import { type NodeProcess, ready, startNode, urlOf } from '../../support/platform.ts';
import { createTenant, databaseUrlOf, introduce, type Tenant } from '../../support/tenants.ts';

type State = { opened: number; closed: number; aborted: number; failedUploads: string[]; rss: number };

/** A platform of a test file's own, with the endpoints of test/integration/http/streaming-service.ts. */
export type StreamingPlatform = {
  node: NodeProcess;
  url: string;
  databaseUrl: string;
  tenant: Tenant;
  client: Client;
  headers: Record<string, string>;
  state: () => Promise<State>;
};

export function ownStreamingPlatform(env: Record<string, string> = {}): StreamingPlatform {
  const own = {} as StreamingPlatform;
  beforeAll(async () => {
    own.node = startNode({ entry: 'test/integration/http/streaming-platform.ts', env });
    own.url = await urlOf(own.node);
    await ready(own.url, own.node);
    own.databaseUrl = await databaseUrlOf(own.node);
    introduce(own.databaseUrl, { url: own.url });
    own.tenant = await createTenant(own.databaseUrl);
    own.client = clientOf({ ...own.tenant, url: own.url });
    own.headers = { authorization: `Bearer ${own.tenant.apiKey}` };
    own.state = async () => (await own.client.send<State>('GET', '/v1/test/state')).body;
  });
  afterAll(() => own.node.stop());
  return own;
}
