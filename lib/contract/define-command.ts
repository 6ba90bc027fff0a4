import { z } from 'zod';
import type { Ctx } from './context.ts';
import type { CommandDeclaration } from './contract.ts';
import { type Action, type Definition, defineAction } from './define-action.ts';

/** The lines that a command of the operator's console prints. */
export const consoleOutput = z.strictObject({ lines: z.array(z.string()) });
export type ConsoleOutput = z.output<typeof consoleOutput>;

type CommandDefinition<B extends z.ZodObject> = Pick<
  Definition<{ body: B }, typeof consoleOutput, 'internal'>,
  'safe' | 'limits'
> & {
  /** The commands that run the action. */
  commands: [CommandDeclaration, ...CommandDeclaration[]];
  /** The arguments by the names of their fields. */
  body: B;
  handler: (request: { body: z.output<B>; ctx: Ctx }) => Promise<ConsoleOutput> | ConsoleOutput;
};

/**
 * Defines the internal action of commands of the operator's console. The registry carries the declarations, so that the
 * console of every node has the commands while a node runs the service.
 */
export function defineCommand<B extends z.ZodObject>(
  definition: CommandDefinition<B>,
): Action<{ body: B }, typeof consoleOutput> {
  const { body, handler, ...rest } = definition;
  return defineAction({
    ...rest,
    summary: definition.commands[0].description,
    permission: 'internal',
    input: { body },
    output: consoleOutput,
    handler: (request) => handler(request as unknown as { body: z.output<B>; ctx: Ctx }),
  }) as unknown as Action<{ body: B }, typeof consoleOutput>;
}
