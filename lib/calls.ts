import type { Context } from 'moleculer';
import type { Action, InputOf, InputSchemas, OutputOf } from './action.ts';

/** How many milliseconds a call may take: of another node's action, of an internal one, and of the one that answers a request. */
export const callTimeout = 10_000;

/**
 * The actions that services offer one another, by name. Each service adds its own beside their contracts:
 * `declare module '../../lib/calls.ts' { interface Calls { 'context.events.create': typeof createEvent } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the services' declarations fill it.
export interface Calls {}

type Input<A> = A extends Action<infer I extends InputSchemas, infer _O> ? InputOf<I> : never;
type Output<A> = A extends Action<infer _I, infer O> ? OutputOf<O> : never;

/** What an action is called with, and what it answers. */
export type CallInput<N extends keyof Calls> = Input<Calls[N]>;
export type CallOutput<N extends keyof Calls> = Output<Calls[N]>;

/** Calls another service's action through the broker, typed by its contract; the caller's credential goes along. */
export function call<N extends keyof Calls & string>(
  ctx: Pick<Context, 'call'>,
  name: N,
  input: CallInput<N>,
): Promise<CallOutput<N>> {
  return ctx.call(name, input);
}
