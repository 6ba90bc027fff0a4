import type { Figure } from '../figure.ts';
import type { Options } from '../options.ts';
import { startServer } from '../processes.ts';
import type { GatewayAlone } from '../servers/gateway-alone.ts';
import { measuredSettings } from '../servers/platform.ts';
import { compareWithBare, getMe, postEvent } from './beside-bare.ts';

/** Measures a GET and a POST through the gateway only, with services that neither read nor store. */
export async function measureGateway(options: Options): Promise<Figure[]> {
  const environment = { ...measuredSettings, PORT: '0' };
  const { address, pid, stop } = await startServer<GatewayAlone>('servers/gateway-alone.ts', {}, environment);
  const target = { ...address, pid };
  const figures = [
    await compareWithBare(options, { name: 'gateway GET /identity/me, nothing read', target, request: getMe }),
    await compareWithBare(options, {
      name: 'gateway POST /events, nothing stored',
      target,
      request: postEvent(target),
    }),
  ];
  await stop();
  return figures;
}
