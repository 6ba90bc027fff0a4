import type { Context } from 'moleculer';
import type { Action, InputOf, InputSchemas, OutputOf } from './action.ts';

/**
 * The timeout of calls, in milliseconds: to an action of another node, to an internal action, and to the action of a
 * request.
 */
export const callTimeout = 10_000;

/**
 * The actions that services can call, by name. Each service adds its actions next to their contracts:
 * `declare module '../../lib/calls.ts' { interface Calls { 'context.events.create': typeof createEvent } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the services' declarations fill it.
export interface Calls {}

type Input<A> = A extends Action<infer I extends InputSchemas, infer _O> ? InputOf<I> : never;
type Output<A> = A extends Action<infer _I, infer O> ? OutputOf<O> : never;

/** The input of an action, by its name. */
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
