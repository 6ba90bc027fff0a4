import type { Context } from 'moleculer';
import type { Action, InputOf, InputSchemas, OutputOf } from './action.ts';

/**
 * The timeout of calls, in milliseconds: to another node's action, to an internal action, and of a request's own
 * action.
 */
export const callTimeout = 10_000;

/**
 * The actions that services can call, by name. Each service adds its own beside their contracts:
 * `declare module '../../lib/calls.ts' { interface Calls { 'context.events.create': typeof createEvent } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the services' declarations fill it.
export interface Calls {}

type Input<A> = A extends Action<infer I extends InputSchemas, infer _O> ? InputOf<I> : never;
type Output<A> = A extends Action<infer _I, infer O> ? OutputOf<O> : never;

/** What an action is called with, and what it answers. */
export type CallInput<N extends keyof Calls> = Input<Calls[N]>;
export type CallOutput<N extends keyof Calls> = Output<Calls[N]>;

/**
 * Calls another service's action through the broker, typed by its contract, with the credential of the present caller.
 */
export function call<N extends keyof Calls & string>(
  ctx: Pick<Context, 'call'>,
  name: N,
  input: CallInput<N>,
): Promise<CallOutput<N>> {
  return ctx.call(name, input);
}
