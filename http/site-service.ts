import type { Context, ServiceSchema } from 'moleculer';
import ApiGateway from 'moleculer-web';
import { type ChangeNotification, changeEvent, streamCheckEvent } from '../lib/clients/change-notifications.ts';
import type { AccessChange, CredentialsChange } from '../lib/contract/context.ts';
import { apiError } from '../lib/contract/errors.ts';
import { settings } from '../lib/settings/settings.ts';
import { natsReconnected } from '../mixins/nats.ts';
import { type RedisUser, redis } from '../mixins/redis.ts';
import { createSigningKeyReader, type SigningKeyReader, verifyAccessToken } from './access-tokens.ts';
import { createAuthenticator } from './authenticate.ts';
import { type HttpListener, type MountedProtocol, type OwnHandler, type Route, serve } from './dispatch.ts';
import { createEventStreams } from './event-streams.ts';
import { createFailedRequestLog } from './failed-requests.ts';
import { reasonsForMissingRoutes } from './health.ts';
import { createListener } from './listener.ts';
import { unknownPath } from './other-listener.ts';
import { createRateLimiter, shareRateLimits } from './rate-limit.ts';

/** moleculer-web rebuilds `aliases` when services start or stop, after a debounce; `flush` ends the debounce. */
export type SiteService = RedisUser & {
  site: HttpListener;
  readKeys: SigningKeyReader;
  aliases: Route[];
  regenerateAllAutoAliases: { flush: () => void };
  /** How this instance uses its listener, which another instance of the service may use before and after. */
  listening: 'no' | 'yes' | 'draining';
  /** Resolves when the requests that this instance began have ended, after another one took over the listener. */
  handedOver?: Promise<void>;
  stopListening: () => Promise<void>;
  resumeStreams: () => void;
  /**
   * The protocol that answers all methods below a prefix of the path; null where the routes apply. A service may
   * replace it.
   */
  mountAt: (path: string) => MountedProtocol | null;
};

type SiteSchema = ServiceSchema<Record<string, unknown>, object, object, SiteService>;

/**
 * The actions that the listener of storage serves. Its pages are at the gateway, like the pages of all services.
 */
export const storageActions = /^storage\.(?!pages\.)/;

type SiteOptions = {
  /** The routes that the service answers without an action, by method and path. */
  own: Record<string, OwnHandler>;
  /** The address it listens on, and the setting of the port. */
  place: { host: string; port: number; setting: string };
  /** The actions it serves, by their full names. Default: all. */
  only?: RegExp;
  /** The actions it does not serve, because another listener does. */
  except?: RegExp;
  /**
   * Whether people visit it: session cookies are credentials, and errors are shown as pages. Default true. Browsers
   * send cookies to every port of a host, so a listener without pages must ignore them.
   */
  hasPages?: boolean;
};

// Copying a mixin reads all its properties, and would load these two packages, which the platform does not use.
const { bodyParser, serveStatic, ...gateway } = ApiGateway as unknown as ServiceSchema &
  Record<'bodyParser' | 'serveStatic', unknown>;

/**
 * A service with an HTTP listener. It has no tenant endpoints itself: services declare the routes, and moleculer-web
 * keeps their list. The pipeline authenticates callers, applies rate limits and reads the input.
 */
export function siteService({ own, place, only, except, hasPages = true }: SiteOptions): Partial<SiteSchema> {
  const { host, port, setting } = place;
  const served = { ...(only && { whitelist: [only] }), ...(except && { blacklist: [except] }) };
  return {
    mixins: [gateway, redis()],
    settings: {
      server: false,
      debounceTime: 20,
      logRouteRegistration: false,
      routes: [{ path: '/', aliases: own, autoAliases: true, bodyParsers: false, ...served }],
    },
    // moleculer-web's request handling, and its actions that list or change routes over HTTP.
    actions: { rest: false, listAliases: false, addRoute: false, removeRoute: false },
    methods: { mountAt: () => null, ...listening },
    events,
    created(this: SiteService) {
      this.readKeys = createSigningKeyReader(this.broker.getLogger('oauth'));
      this.site = siteOf(this, hasPages);
      this.listening = 'no';
      // Notifications and changes of credentials may have been lost.
      this.resumeStreams = () => void this.site.tools.streams.resume();
      this.broker.localBus.on(natsReconnected, this.resumeStreams);
    },
    async started(this: SiteService) {
      const running = this.broker.getLocalService(this.fullName) as SiteService | undefined;
      if (running && running !== this) {
        // Two servers cannot share a port: this instance takes over the listener of the running one by `takeOver`.
        this.site.listener = running.site.listener;
        return;
      }
      const whenInUse = `Port ${port} is already in use. Stop what uses it, or choose another with ${setting}.`;
      // Logged, because with port 0 the system chooses the port.
      this.logger.info('listening', await this.site.listener.listen({ host, port }, whenInUse));
      this.listening = 'yes';
    },
    stopped(this: SiteService) {
      this.broker.localBus.off(natsReconnected, this.resumeStreams);
      return this.stopListening();
    },
  };
}

/** Controls the use of the listener by an instance of the service, from its start to its end. */
const listening = {
  /** The parts that are not ready, for the node's readiness. */
  lacks(this: SiteService): string[] {
    return this.listening === 'yes' ? [] : [this.name];
  },
  async drain(this: SiteService) {
    this.listening = 'draining';
    await this.site.listener.drain(settings.DRAIN_SECONDS);
    await this.stopListening();
  },
  /** Event streams end with the last accepted connection, so that none reopens on this node. */
  async stopListening(this: SiteService) {
    this.site.tools.streams.drain();
    if (this.listening !== 'no') await this.site.listener.close();
    this.listening = 'no';
    await this.handedOver;
    await this.site.failedRequests.flush();
  },
  takeOver(this: SiteService, previous: SiteService) {
    previous.handedOver = this.site.listener.handOver((request, response) => serve(this.site, request, response));
    previous.listening = 'no';
    this.listening = 'yes';
  },
};

/** The events that change the answers to cached or open requests. */
const events: SiteSchema['events'] = {
  'identity.credentials.changed': {
    handler(this: SiteService, ctx: Context<CredentialsChange>) {
      const { authenticator, streams } = this.site.tools;
      authenticator.forget(ctx.params);
      void streams.recheckCredentials(ctx.params);
    },
  },
  'access.changed': {
    handler(this: SiteService, ctx: Context<AccessChange>) {
      const { authenticator, streams } = this.site.tools;
      authenticator.forgetRights(ctx.params);
      void streams.recheckRights(ctx.params);
    },
  },
  [changeEvent]: {
    handler(this: SiteService, ctx: Context<ChangeNotification>) {
      this.site.tools.streams.deliver(ctx.params);
    },
  },
  [streamCheckEvent]: {
    handler(this: SiteService, ctx: Context<{ channel: string }>) {
      void this.site.tools.streams.recheckChannel(ctx.params.channel);
    },
  },
};

function siteOf(service: SiteService, hasPages: boolean): HttpListener {
  const { broker, logger, readKeys } = service;
  const listener = createListener((request, response) => serve(site, request, response), logger);
  const site: HttpListener = {
    broker,
    logger,
    tools: {
      authenticator: createAuthenticator(broker, (ctx, token) => verifyAccessToken(readKeys, ctx, token)),
      limit: shareRateLimits(createRateLimiter(), () => service.redis, logger),
      streams: createEventStreams(),
      hasPages,
    },
    listener,
    failedRequests: createFailedRequestLog(broker, logger),
    routes() {
      // A newly registered service can make the platform ready, so its routes must be known here.
      service.regenerateAllAutoAliases.flush();
      return service.aliases;
    },
    mountAt: (path) => service.mountAt(path),
    // While a service is missing, its paths are unknown. They get 503, so that clients retry.
    noRoute: (method, path) =>
      reasonsForMissingRoutes(broker).length > 0
        ? apiError('UNAVAILABLE')
        : unknownPath(broker, site.routes(), method, path),
  };
  return site;
}
