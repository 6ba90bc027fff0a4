import type { Context, ServiceSchema } from 'moleculer';
import type { MountedProtocol } from '../http/dispatch.ts';
import { type SiteService, siteService, storageActions } from '../http/site-service.ts';
import type { CredentialsChange } from '../lib/contract/context.ts';
import { settings } from '../lib/settings/settings.ts';
import { createOAuth, type OAuth, oauthBodyLimitBytes, oauthExposure } from './oauth/serve.ts';
import { ownRoutes } from './own-routes.ts';

type Gateway = SiteService & { oauth: OAuth; oauthMount: MountedProtocol };

const place = { host: settings.HOST, port: settings.PORT, setting: 'PORT' };

/** The HTTP gateway: all APIs and pages, and OAuth. */
const gateway: ServiceSchema<Record<string, unknown>, object, object, Gateway> = {
  name: 'gateway',
  mixins: [siteService({ own: ownRoutes, place, except: storageActions }) as unknown as ServiceSchema],
  methods: {
    mountAt(this: Gateway, path: string) {
      return this.oauth.isHere(path) ? this.oauthMount : null;
    },
  },
  events: {
    'identity.credentials.changed': {
      handler(this: Gateway, ctx: Context<CredentialsChange>) {
        this.oauth.forget(ctx.params);
      },
    },
  },
  created(this: Gateway) {
    const oauth = createOAuth(this.broker, this.readKeys);
    this.oauth = oauth;
    this.oauthMount = {
      exposure: oauthExposure,
      bodyLimitBytes: oauthBodyLimitBytes,
      handler: (request, response) => oauth.serve(this.site.tools.limit, request, response),
    };
  },
};

export default gateway;
