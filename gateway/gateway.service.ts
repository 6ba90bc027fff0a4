import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Context, ServiceSchema } from 'moleculer';
import ApiGateway from 'moleculer-web';
import type { CredentialsChange } from '../lib/caller.ts';
import { type RedisUser, redis } from '../mixins/redis.ts';
import { type Authenticator, createAuthenticator } from './authenticate.ts';
import type { GatewayRequest, GatewayResponse } from './exchange.ts';
import { parseQuery } from './exchange.ts';
import { serve } from './http-handler.ts';
import { connectionsCheckingInterval, drain, listen, stopListening } from './listen.ts';
import { createOAuth, type OAuth } from './oauth/serve.ts';
import { observeConnections } from './observe-request.ts';
import { ownRoutes } from './own-routes.ts';
import { prepare, type Tools } from './pipeline.ts';
import { createRateLimiter } from './rate-limit.ts';
import { refuseUnparsed } from './refuse-unparsed.ts';
import { shareRateLimits } from './shared-rate-limit.ts';

type Gateway = RedisUser & {
  tools: Tools;
  oauth: OAuth;
  server: Server;
  answering: Set<ServerResponse>;
  httpHandler: () => void;
};

/**
 * The HTTP front door. It owns no endpoint: routes come and go with the services that declare them. moleculer-web
 * matches them to actions; who calls, how often and with what is established by the pipeline.
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
        mappingPolicy: 'restrict',
        bodyParsers: false,
        mergeParams: false,
        logging: false,
        onBeforeCall(this: Gateway, _ctx: Context, _route: object, request: GatewayRequest, response: GatewayResponse) {
          return prepare(this.tools, request, response);
        },
        onAfterCall(_ctx: Context, _route: object, request: GatewayRequest, response: GatewayResponse, data: unknown) {
          response.statusCode = request.$action?.contract?.status ?? 200;
          return data;
        },
      },
    ],
  },
  // moleculer-web publishes these over HTTP itself; nobody outside may list or change routes.
  actions: { listAliases: false, addRoute: false, removeRoute: false },
  methods: {
    drain,
    httpHandler: serve,
    parseQueryString: splitUrl,
    sendResponse: sendJson,
  },
  events: {
    'identity.credentials.changed': {
      handler(this: Gateway, ctx: Context<CredentialsChange>) {
        this.tools.authenticator.forget(ctx.params);
        this.oauth.forget(ctx.params);
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

function splitUrl(request: GatewayRequest): { url: string; query: object } {
  const [url = '', ...rest] = (request.url ?? '').split('?');
  return { url, query: parseQuery(rest.join('?')) };
}

function sendJson(request: GatewayRequest, response: GatewayResponse, data: unknown): void {
  for (const [name, value] of Object.entries(request.$ctx.meta.$responseHeaders ?? {})) response.setHeader(name, value);
  if (response.statusCode === 204) {
    response.end();
    return;
  }
  const text = JSON.stringify(data);
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

export default gateway;
