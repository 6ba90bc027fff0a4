import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Context, ServiceSchema } from 'moleculer';
import ApiGateway from 'moleculer-web';
import type { AccessChange, CredentialsChange } from '../lib/caller.ts';
import { type RedisUser, redis } from '../mixins/redis.ts';
import { type Authenticator, createAuthenticator } from './authenticate.ts';
import { serve } from './http-handler.ts';
import { connectionsCheckingInterval, drain, listen, stopListening } from './listen.ts';
import { createOAuth, type OAuth } from './oauth/serve.ts';
import { observeConnections } from './observe-request.ts';
import { ownRoutes } from './own-routes.ts';
import type { Tools } from './pipeline.ts';
import { createRateLimiter } from './rate-limit.ts';
import { refuseUnparsed } from './refuse-unparsed.ts';
import { shareRateLimits } from './shared-rate-limit.ts';

type Gateway = RedisUser & {
  tools: Tools;
  oauth: OAuth;
  server: Server;
  answering: Set<ServerResponse>;
  stopTimeouts: () => void;
  httpHandler: () => void;
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
    drain,
    httpHandler: serve,
  },
  events: {
    'identity.credentials.changed': {
      handler(this: Gateway, ctx: Context<CredentialsChange>) {
        this.tools.authenticator.forget(ctx.params);
        this.oauth.forget(ctx.params);
      },
    },
    'access.changed': {
      handler(this: Gateway, ctx: Context<AccessChange>) {
        this.tools.authenticator.forgetRights(ctx.params);
      },
    },
  },
  created(this: Gateway) {
    this.oauth = createOAuth(this.broker);
    const authenticator: Authenticator = createAuthenticator(this.broker, this.oauth.verifyAccessToken);
    const limit = shareRateLimits(createRateLimiter(), () => this.redis, this.logger);
    this.tools = { authenticator, limit };
    this.server = createServer({ connectionsCheckingInterval }, this.httpHandler);
    this.server.on('clientError', refuseUnparsed.bind(this));
    observeConnections(this.server);
  },
  started: listen,
  stopped: stopListening,
};

export default gateway;
