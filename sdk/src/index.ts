export type { components, paths } from './api.ts';
export { type Client, createClient } from './client.ts';
export { type ErrorCode, type ErrorDetail, PlatformError } from './errors.ts';
export type { ClientOptions } from './request.ts';
export type {
  Answer,
  CallOptions,
  CallSettings,
  ItemOf,
  ListPaths,
  Method,
  Operation,
  PathsWith,
  RawBody,
  Schemas,
  StreamEvent,
  StreamPaths,
  Upload,
} from './types.ts';
