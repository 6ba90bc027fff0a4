import { answerRequests } from '../../lib/concurrency/worker-thread.ts';
import { type Compilation, compileContent } from './compile.ts';
import type { CompiledContent, Content, RenderedContent, Values, Variable } from './content.ts';
import { isTooDeep, TemplateError, tooDeep } from './liquid.ts';
import { renderOnThread } from './thread.ts';

export type CompileWork = { kind: 'compile'; content: Content; variables: Variable[]; builtIn: string[] };
export type RenderWork = { kind: 'render'; content: CompiledContent; variables: Values };
export type Work = CompileWork | RenderWork;
/** `invalid`: the template cannot be rendered. */
export type WorkAnswer = { done: Compilation | RenderedContent } | { invalid: string };

answerRequests<Work, WorkAnswer>(async (work) => {
  try {
    return { done: await perform(work) };
  } catch (error) {
    if (error instanceof TemplateError) return { invalid: error.message };
    if (isTooDeep(error)) return { invalid: tooDeep };
    throw error;
  }
});

async function perform(work: Work): Promise<Compilation | RenderedContent> {
  if (work.kind === 'compile') return await compileContent(work.content, work.variables, work.builtIn);
  return renderOnThread(work.content, work.variables);
}
