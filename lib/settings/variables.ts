import { resolve } from 'node:path';
import { z } from 'zod';
import { Secret } from '../security/secret.ts';
import { parseVariables, reserveVariables, type Variable } from './define-settings.ts';
import { isLoopbackHost, problemOfMongoUrl } from './mongo-url.ts';
import { count, list, natsUrls, origins, port, secret, siteUrl, yesOrNo } from './setting-schemas.ts';
import { StartError } from './start-error.ts';
import { mailVariables, problemsOfDkim } from './variables-mail.ts';
import { paymentVariables, problemsOfPayment } from './variables-payment.ts';
import {
  accountVariables,
  brandVariables,
  logVariables,
  minPasswordCost,
  outboundVariables,
} from './variables-platform.ts';
import { problemsOfOrigins, problemsOfStorage, storageAddresses, storageVariables } from './variables-storage.ts';

const variable = <T extends z.ZodType>(about: string, example: string, schema: T): Variable<T> => ({
  about,
  example,
  schema,
});

/** The environment variables of the platform. A service declares others in its `settings.ts`. */
export const variables = {
  DATA_DIR: variable(
    'Folder of the embedded database, objects, keys and first-run.json.',
    './data',
    z.string().default('./data'),
  ),
  MONGO_URL: variable(
    'MongoDB to use instead of the embedded database; required in a pool. Reads go to the primary.',
    'mongodb://localhost:27017/platform',
    z
      .string()
      .superRefine((url, ctx) => {
        const message = problemOfMongoUrl(url);
        if (message !== null) ctx.addIssue({ code: 'custom', message });
      })
      .transform((url) => new Secret(url))
      .optional(),
  ),
  NATS_URL: variable(
    'NATS servers that connect the nodes of a pool, separated by commas. Unset: all services in one process.',
    'nats://localhost:4222',
    natsUrls.optional(),
  ),
  REDIS_URL: variable(
    'Redis for rate limits shared by all gateways of a pool. Unset: each gateway counts separately.',
    'redis://localhost:6379',
    z
      .url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// URL' })
      .transform((url) => new Secret(url))
      .optional(),
  ),
  ACCESS_CACHE: variable(
    'Cache of POST /access/check: none, memory, or redis (at REDIS_URL).',
    'memory',
    z.enum(['none', 'memory', 'redis'], 'must be none, memory or redis').default('none'),
  ),
  SECRET_KEY: variable(
    'Key for encryption at rest and for signatures; required in a pool. Unset: generated into DATA_DIR.',
    'use-32-or-more-random-characters-here',
    secret(32, 1024).optional(),
  ),
  PUBLIC_URL: variable('Public URL of the APIs, without a path.', 'http://localhost:3000', siteUrl.optional()),
  HSTS_SUBDOMAINS: variable(
    'yes makes browsers use https for all subdomains of an https PUBLIC_URL, also for other programs.',
    'yes',
    yesOrNo,
  ),
  HOST: variable(
    'Interface the gateway and the storage API listen on.',
    '0.0.0.0',
    z.string().min(1).default('0.0.0.0'),
  ),
  PORT: variable('Port of the gateway.', '3000', port.default(3000)),
  METRICS_PORT: variable('Port of Prometheus metrics on 127.0.0.1; 0 turns them off.', '3030', port.default(3030)),
  METRICS_HOST: variable('Interface the metrics are served on.', '127.0.0.1', z.string().min(1).default('127.0.0.1')),
  NODE_ID: variable(
    'Unique name of this node in the pool. Unset: host name and process id.',
    'context-1',
    z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, 'must be 1 to 63 letters, digits, dashes or underscores')
      .optional(),
  ),
  SERVICES_DIR: variable(
    'Folder of additional services that operators may load into a running node.',
    '/srv/platform/services',
    z
      .string()
      .transform((folder) => resolve(folder))
      .optional(),
  ),
  REQUIRED_SERVICES: variable(
    'Services that a gateway needs to be ready, separated by commas; only these are reported as unavailable. ' +
      'Unset: a gateway needs none, and reports all but storage.',
    'identity,access,billing,context',
    list.optional(),
  ),
  LOAD_TIMEOUT_SECONDS: variable(
    'Timeout for the start of a service that is loaded into a running node, in seconds.',
    '60',
    z.coerce.number('must be a number').min(1, 'must be at least 1').max(600, 'must be at most 600').default(30),
  ),
  DRAIN_SECONDS: variable(
    'Seconds to keep accepting requests after SIGTERM, while /health/ready answers 503.',
    '5',
    z.coerce.number('must be a number').min(0, 'must not be negative').max(300, 'must be at most 300').default(0.5),
  ),
  NAMESPACE: variable(
    'Name of the pool, where several pools share a NATS server.',
    'staging',
    z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,30}$/, 'must be 1 to 31 lower-case letters, digits or dashes')
      .default('platform'),
  ),
  ...accountVariables,
  ERASURES_KEPT_DAYS: variable(
    'Retention of erasure records in days, for restores: at least the age of the oldest backup.',
    '800',
    count.min(1, 'must be at least 1').default(400),
  ),
  RATE_LIMIT_RPS: variable(
    'Requests per second of a credential (burst twice that), four times that for an organization; an address without a ' +
      'credential has 20, except for webhooks. 0 turns limits off, including the limits of failed passwords and mails.',
    '500',
    count.default(500),
  ),
  MAX_CONNECTIONS: variable(
    'Maximum open HTTP connections of a process; one address may have an eighth of them, unless TRUSTED_PROXIES is ' +
      'set. 0: three quarters of the file descriptor limit, at most 10000.',
    '2000',
    count.default(0),
  ),
  CORS_ORIGINS: variable(
    'Origins whose pages may call the APIs, separated by commas. Unset: none.',
    'https://app.example.com',
    origins.default([]),
  ),
  ...storageVariables,
  ...mailVariables,
  ...outboundVariables,
  TRUSTED_PROXIES: variable('Number of trusted proxies in front that add to X-Forwarded-For.', '1', count.default(0)),
  DEFAULT_COUNTRY: variable(
    'Default country of telephone numbers without a country code.',
    'DE',
    z
      .string()
      .regex(/^[A-Z]{2}$/, 'must be a two-letter country code')
      .optional(),
  ),
  ...brandVariables,
  ...paymentVariables,
  ...logVariables,
  NODE_ENV: variable(
    'production: JSON logs, output validation does not fail requests, no development endpoints.',
    'production',
    z.enum(['production', 'development', 'test']).default('development'),
  ),
};

reserveVariables(variables);

type Parsed = { [K in keyof typeof variables]: z.output<(typeof variables)[K]['schema']> };

/** The platform's settings: the environment, parsed once and frozen. Secrets print as asterisks. */
export type Settings = Readonly<
  Omit<Parsed, 'PUBLIC_URL' | 'STORAGE_URL' | 'CDN_URL' | 'LOG_FORMAT'> & {
    PUBLIC_URL: string;
    STORAGE_URL: string;
    CDN_URL: string;
    LOG_FORMAT: 'json' | 'text';
    production: boolean;
    /** Whether the platform is reachable from other machines; development features are off then. */
    isPublic: boolean;
  }
>;

/** Parses an environment; throws a StartError that names every invalid variable. */
export function parseSettings(environment: Record<string, string | undefined>): Settings {
  const { values: parsed, problems } = parseVariables(variables, environment);
  if (parsed.NATS_URL) problems.push(...problemsOfPool(parsed, problems));
  if (parsed.ACCESS_CACHE === 'redis' && !parsed.REDIS_URL) {
    problems.push(
      `REDIS_URL must be set when ACCESS_CACHE is redis; for example REDIS_URL=${variables.REDIS_URL.example}`,
    );
  }
  problems.push(...problemsOfStorage(parsed), ...problemsOfDkim(parsed));
  if (problems.length === 0) {
    const development = problemsOfDevelopment(parsed as Parsed);
    problems.push(...problemsOfPayment(parsed), ...development, ...problemsOfOrigins(complete(parsed as Parsed)));
  }
  if (problems.length > 0) throw new StartError(problems.join('\n'));
  return Object.freeze(complete(parsed as Parsed));
}

/** Requires the settings that all nodes of a pool share. A node without MONGO_URL would use a private database. */
function problemsOfPool(parsed: Record<string, unknown>, problems: string[]): string[] {
  return (['MONGO_URL', 'SECRET_KEY'] as const)
    .filter((name) => !parsed[name] && !problems.some((problem) => problem.startsWith(name)))
    .map(
      (name) =>
        `${name} must be set, the same on every node, when NATS_URL is set; for example ${name}=${variables[name].example}`,
    );
}

/** Rejects development settings when the platform is reachable from other machines. */
function problemsOfDevelopment(parsed: Parsed): string[] {
  const { isPublic, DEV_MAILBOX, PAYMENT_PROVIDER, PASSWORD_COST } = complete(parsed);
  if (!isPublic) return [];
  const where = 'with NODE_ENV=production or a PUBLIC_URL that is not loopback';
  return [
    ...(PASSWORD_COST < minPasswordCost ? [`PASSWORD_COST must be at least ${minPasswordCost} ${where}`] : []),
    ...(DEV_MAILBOX
      ? [`DEV_MAILBOX must not be yes ${where}; set SMTP_URL to a mail server, or to none, which turns mail off`]
      : []),
    ...(PAYMENT_PROVIDER === 'test'
      ? [
          `PAYMENT_PROVIDER must not be test ${where}: every plan would be free; set it to stripe, to ` +
            'manual, or to none, which turns payments off',
        ]
      : []),
  ];
}

function complete(parsed: Parsed): Settings {
  const production = parsed.NODE_ENV === 'production';
  const publicUrl = parsed.PUBLIC_URL ?? `http://localhost:${parsed.PORT}`;
  return {
    ...parsed,
    DATA_DIR: resolve(parsed.DATA_DIR),
    PUBLIC_URL: publicUrl,
    ...storageAddresses(parsed),
    LOG_FORMAT: parsed.LOG_FORMAT ?? (production && !process.stdout.isTTY ? 'json' : 'text'),
    production,
    isPublic: production || !isLoopbackHost(new URL(publicUrl).hostname),
  };
}
