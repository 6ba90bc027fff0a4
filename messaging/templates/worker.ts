import { parentPort } from 'node:worker_threads';
import { type Compilation, compileContent } from './compile.ts';
import type { CompiledContent, Content, RenderedContent, Values, Variable } from './content.ts';
import { isTooDeep, TemplateError, tooDeep } from './liquid.ts';
import { renderOnThread } from './thread.ts';

export type CompileWork = { kind: 'compile'; content: Content; variables: Variable[]; builtIn: string[] };
export type RenderWork = { kind: 'render'; content: CompiledContent; variables: Values };
export type Work = CompileWork | RenderWork;
/** `invalid`: the template cannot be rendered. */
export type WorkAnswer = { done: Compilation | RenderedContent } | { invalid: string } | { failure: string };

/** Handles one item at a time; the main thread sends the next after the result. */
parentPort?.on('message', (work: Work) => {
  perform(work).then(
    (done) => answer({ done }),
    (error: unknown) => {
      if (error instanceof TemplateError) answer({ invalid: error.message });
      else if (isTooDeep(error)) answer({ invalid: tooDeep });
      else answer({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    },
  );
});
parentPort?.postMessage('listening');

async function perform(work: Work): Promise<Compilation | RenderedContent> {
  if (work.kind === 'compile') return await compileContent(work.content, work.variables, work.builtIn);
  return renderOnThread(work.content, work.variables);
}

function answer(message: WorkAnswer): void {
  parentPort?.postMessage(message);
}
