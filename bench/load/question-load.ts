import { openConnection } from './http-connection.ts';
import { takeJob } from './job.ts';
import { createRecorder, type LoadResult } from './result.ts';

/** One request as it goes over the wire, and a text that only the right answer holds. */
export type WiredQuestion = { request: string; mark: string };

/** Questions over HTTP, in turns. An answer other than 200, or without its mark, is a failure. */
export type QuestionJob = {
  port: number;
  questions: WiredQuestion[];
  connections: number;
  warmUpSeconds: number;
  seconds: number;
};

async function run({ port, questions, connections: count, warmUpSeconds, seconds }: QuestionJob): Promise<LoadResult> {
  const connections = await Promise.all(Array.from({ length: count }, () => openConnection(port)));
  const recorder = createRecorder(warmUpSeconds, seconds);
  let next = 0;
  await Promise.all(
    connections.map(async ({ exchange }) => {
      while (!recorder.isOver()) {
        const { request, mark } = questions[next++ % questions.length] as WiredQuestion;
        const startedAt = performance.now();
        const { status, body } = await exchange(request);
        if (status === 200 && body.includes(mark)) recorder.succeeded(startedAt);
        else recorder.failed(`${status} ${body.slice(0, 300)}`);
      }
    }),
  );
  for (const connection of connections) connection.close();
  return recorder.result();
}

takeJob(run);
