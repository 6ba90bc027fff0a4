import { threadId } from 'node:worker_threads';
import { answerRequests } from '../../../lib/concurrency/worker-thread.ts';

/** What a test asks the thread to do. */
export type Wish = { kind: 'answer'; value: number } | { kind: 'fail' } | { kind: 'crash' } | { kind: 'hang' };
export type Done = { value: number; threadId: number };

answerRequests<Wish, Done>(async (wish) => {
  if (wish.kind === 'fail') throw new Error('As wished.');
  if (wish.kind === 'crash') process.exit(1);
  if (wish.kind === 'hang') await new Promise(() => undefined);
  return { value: wish.kind === 'answer' ? wish.value : 0, threadId };
});
