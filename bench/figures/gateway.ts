import type { Figure } from '../figure.ts';
import type { Options } from '../options.ts';
import { startServer } from '../processes.ts';
import type { GatewayAlone } from '../servers/gateway-alone.ts';
import { measuredSettings, startPlatform } from '../servers/platform.ts';
import { compareWithBare, getMe, postEvent } from './beside-bare.ts';

/** A GET through the whole platform, and a POST through the gateway alone, with nothing behind it that stores. */
export async function measureGateway(options: Options): Promise<Figure[]> {
  return [await measureGet(options), await measurePost(options)];
}

async function measureGet(options: Options): Promise<Figure> {
  const platform = await startPlatform();
  const name = 'gateway GET /identity/me';
  const figure = await compareWithBare(options, { name, target: platform, request: getMe });
  await platform.stop();
  return figure;
}

async function measurePost(options: Options): Promise<Figure> {
  const environment = { ...measuredSettings, PORT: '0' };
  const { address, pid, stop } = await startServer<GatewayAlone>('servers/gateway-alone.ts', {}, environment);
  const target = { ...address, pid };
  const name = 'gateway POST /events, nothing stored';
  const figure = await compareWithBare(options, { name, target, request: postEvent(target) });
  await stop();
  return figure;
}
