import type { RequestMeta } from '../../../lib/contract/context.ts';
import { type Networks, networksOf } from '../../../lib/net/address.ts';

/** The network of a request's client and its range, by which attempts and mails are counted. Empty without a client. */
export function clientNetworksIn({ client }: RequestMeta): Networks {
  return networksOf(client?.address ?? '');
}
