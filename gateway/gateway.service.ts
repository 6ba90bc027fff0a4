import type { Context, ServiceSchema } from 'moleculer';
import ApiGateway from 'moleculer-web';
import { type Authenticator, createAuthenticator } from '../http/authenticate.ts';
import { createEventStreams } from '../http/event-streams.ts';
import { type Mount, type Site, serve } from '../http/handler.ts';
import { createListener } from '../http/listener.ts';
import type { Tools } from '../http/pipeline.ts';
import { createRateLimiter } from '../http/rate-limit.ts';
import type { Route } from '../http/routes.ts';
import { shareRateLimits } from '../http/shared-rate-limit.ts';
import type { AccessChange, CredentialsChange } from '../lib/caller.ts';
import { fail } from '../lib/errors.ts';
import { type Hint, hintEvent } from '../lib/hints.ts';
import { settings } from '../lib/settings.ts';
import { natsReconnected } from '../mixins/nats.ts';
import { type RedisUser, redis } from '../mixins/redis.ts';
import { readiness } from './health.ts';
import { createOAuth, type OAuth, oauthBodyLimitBytes, oauthExposure } from './oauth/serve.ts';
import { ownRoutes } from './own-routes.ts';

/** moleculer-web rebuilds `aliases` when services start or stop, after a debounce; `flush` ends the debounce. */
type Gateway = RedisUser & {
  site: Site;
  oauth: OAuth;
  aliases: Route[];
  regenerateAllAutoAliases: { flush: () => void };
  stopListening: () => Promise<void>;
};

/**
 * The HTTP gateway. It owns no endpoint of a tenant: services declare the routes, and moleculer-web keeps their list.
 * The pipeline authenticates callers, applies rate limits and reads the input.
 */
const gateway: ServiceSchema<Record<string, unknown>, object, object, Gateway> = {
  name: 'gateway',
  mixins: [ApiGateway as unknown as ServiceSchema, redis()],
  settings: {
    server: false,
    debounceTime: 20,
    logRouteRegistration: false,
    routes: [
      {
        path: '/',
        aliases: ownRoutes,
        autoAliases: true,
      },
    ],
  },
  // moleculer-web's own way from a request to an action, and what would list or change routes over HTTP.
  actions: { rest: false, listAliases: false, addRoute: false, removeRoute: false },
  methods: {
    async drain(this: Gateway) {
      await this.site.listener.drain(settings.DRAIN_SECONDS);
      await this.stopListening();
    },
    /** Event streams end with the last connection that is accepted, so that none opens again on this node. */
    stopListening(this: Gateway) {
      this.site.tools.streams.drain();
      return this.site.listener.close();
    },
  },
  events: {
    'identity.credentials.changed': {
      handler(this: Gateway, ctx: Context<CredentialsChange>) {
        const { authenticator, streams } = this.site.tools;
        authenticator.forget(ctx.params);
        this.oauth.forget(ctx.params);
        void streams.recheckCredentials(ctx.params);
      },
    },
    [hintEvent]: {
      handler(this: Gateway, ctx: Context<Hint>) {
        this.site.tools.streams.deliver(ctx.params);
      },
    },
    'access.changed': {
      handler(this: Gateway, ctx: Context<AccessChange>) {
        const { authenticator, streams } = this.site.tools;
        authenticator.forgetRights(ctx.params);
        void streams.recheckRights(ctx.params);
      },
    },
  },
  created(this: Gateway) {
    this.oauth = createOAuth(this.broker);
    const authenticator: Authenticator = createAuthenticator(this.broker, this.oauth.verifyAccessToken);
    const limit = shareRateLimits(createRateLimiter(), () => this.redis, this.logger);
    this.site = siteOf(this, { authenticator, limit, streams: createEventStreams() });
    // Hints and changes of credentials may have been lost meanwhile.
    this.broker.localBus.on(natsReconnected, () => void this.site.tools.streams.resume());
  },
  async started(this: Gateway) {
    const { HOST: host, PORT: port } = settings;
    const whenInUse = `Port ${port} is already in use. Stop what uses it, or choose another with PORT.`;
    // With PORT=0 the system chooses the port; this line shows it.
    this.logger.info('listening', await this.site.listener.listen({ host, port }, whenInUse));
  },
  stopped(this: Gateway) {
    return this.stopListening();
  },
};

function siteOf(gateway: Gateway, tools: Tools): Site {
  const { broker, logger, oauth } = gateway;
  const listener = createListener((request, response) => serve(site, request, response), logger);
  const mount: Mount = {
    exposure: oauthExposure,
    bodyLimitBytes: oauthBodyLimitBytes,
    handler: (request, response) => oauth.serve(tools.limit, request, response),
  };
  const site: Site = {
    broker,
    logger,
    tools,
    listener,
    routes() {
      // A service that has just registered can make the platform ready, so its routes must be known here.
      gateway.regenerateAllAutoAliases.flush();
      return gateway.aliases;
    },
    mountAt: (path) => (oauth.isHere(path) ? mount : null),
    // While a service is missing, its paths are unknown. They get 503, so that clients retry.
    noRoute: async () => fail((await readiness(broker)).length > 0 ? 'UNAVAILABLE' : 'ROUTE_NOT_FOUND'),
  };
  return site;
}

export default gateway;
