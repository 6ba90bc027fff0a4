import { z } from 'zod';
import type { Permission } from '../lib/contract/authorize.ts';
import type { Ctx, UserCaller } from '../lib/contract/context.ts';
import { fileFormInput } from '../lib/contract/contract.ts';
import { type Action, defineAction, type InputSchemas } from '../lib/contract/define-action.ts';
import { renderError } from '../lib/contract/render-error.ts';
import { defaultLanguage } from '../lib/format/language.ts';
import { type Browser, browserOf } from './browser.ts';
import { renderErrorPage } from './error-page.ts';
import { type PageAnswer, pageOutput } from './page.ts';
import { type PageContext, runInPageContext, themeOf } from './page-context.ts';

/** The fields of a form, and the parameters of a path, by name. */
export type Form = Readonly<Record<string, string>>;
/** A parameter that is sent once is a string, sent repeatedly an array. */
export type Query = Readonly<Record<string, string | string[]>>;

/** One request for a page. Calls with `ctx` are made as the user, except on public pages. */
export type Visit = {
  ctx: Ctx;
  query: Query;
  path: Form;
  /** The posted form; empty for other requests. */
  form: Form;
  /** The file of the form of a page with `fileBytes`: null if it is larger. */
  file?: Buffer | null;
  /** The signed-in user, or null. */
  user: UserCaller | null;
  browser: Browser;
};

/** A visit of a signed-in user. */
export type UserVisit = Visit & { user: UserCaller };

type Shape<V extends Visit> = {
  rest: `${'GET' | 'POST'} /${string}`;
  /** One sentence that states the purpose of the page. */
  summary: string;
  /** Whether the page is only served to requests from this machine, for development. */
  thisMachineOnly?: boolean;
  /** Maximum size of the posted form in bytes; {@link maxFormBytes} by default. */
  bodyBytes?: number;
  /** Maximum size of the file that the form of the page sends as multipart/form-data; its forms have none by default. */
  fileBytes?: number;
  handler: (visit: V) => Promise<PageAnswer> | PageAnswer;
};

type PublicShape = Shape<Visit> & {
  /**
   * Whether mail providers also post to it (RFC 8058 one-click): the path is the whole credential. It has no session,
   * any origin may post, and the body may have any media type and is not interpreted.
   */
  isOneClick?: boolean;
};

/** Maximum size of a posted form, where its page names none. */
export const maxFormBytes = 64 * 1024;
const query = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
const fields = z.record(z.string(), z.string());

/**
 * Defines a page without a permission. Its handler receives the signed-in user, and calls services without a caller.
 */
export function publicPage({ handler, ...page }: PublicShape): Action {
  return pageOf('public', page, (visit) => {
    visit.ctx.meta.caller = undefined;
    return handler(visit);
  });
}

/**
 * A page for users; other visitors sign in first.
 *
 * @param permission what the user needs: `session`, or a permission in the organization of the visit
 */
export function userPage({ handler, ...page }: Shape<UserVisit>, permission: Permission = 'session'): Action {
  return pageOf(permission, page, (visit) => handler(visit as UserVisit));
}

function pageOf(
  permission: Permission,
  {
    rest,
    summary,
    thisMachineOnly = false,
    isOneClick = false,
    bodyBytes = maxFormBytes,
    fileBytes = 0,
  }: Omit<PublicShape, 'handler'>,
  handler: (visit: Visit) => Promise<PageAnswer> | PageAnswer,
): Action {
  const isPost = rest.startsWith('POST ');
  const body = isOneClick ? z.unknown() : fileBytes > 0 ? fileFormInput : fields;
  const input = { path: fields, query, ...(isPost && { body }) } satisfies InputSchemas;
  return defineAction({
    rest,
    summary,
    permission,
    takes: isOneClick ? 'bytes' : isPost ? 'form' : 'json',
    answers: 'html',
    input,
    output: pageOutput,
    limits: { bodyBytes, fileBytes, thisMachineOnly, fromServers: isOneClick },
    async handler({ query: parameters, path, caller, ctx, ...others }) {
      const sent = sentForm(isOneClick ? {} : (others as { body?: Form | FileForm }).body);
      const cookies: PageAnswer['cookies'] = [];
      const meta = ctx.meta.browser ?? { id: null, sessionTokenHash: null, device: null, isThisMachine: false };
      const browser = browserOf(meta, (cookie) => cookies.push(cookie));
      const user = caller?.type === 'user' ? caller : null;
      const visit = { ctx, query: parameters, path, ...sent, user, browser };
      const context: PageContext = { language: ctx.meta.language ?? defaultLanguage, theme: themeOf(browser.theme) };
      const answer = await runInPageContext(context, () => withCookies(cookies, ctx, () => handler(visit)));
      return { ...answer, cookies: [...answer.cookies, ...cookies] };
    },
  }) as unknown as Action;
}

type FileForm = z.output<typeof fileFormInput>;

/** The fields of a posted form, and its file. */
function sentForm(body: Form | FileForm = {}): Pick<Visit, 'form' | 'file'> {
  return isFileForm(body) ? { form: body.fields, file: body.file } : { form: body };
}

const isFileForm = (body: Form | FileForm): body is FileForm => typeof body.fields === 'object';

/** Adds the cookies to an error page as well: a session that has begun would otherwise be lost. */
async function withCookies(
  cookies: PageAnswer['cookies'],
  ctx: Visit['ctx'],
  work: () => Promise<PageAnswer> | PageAnswer,
): Promise<PageAnswer> {
  try {
    return await work();
  } catch (error) {
    if (cookies.length === 0) throw error;
    const requestId = ctx.requestID ?? '';
    const rendered = renderError(error, requestId);
    if (rendered.status >= 500) ctx.broker.logger.error('A page failed', { requestId, error });
    const { error: code, message, details } = rendered.body;
    return { ...renderErrorPage(rendered), error: { error: code, message, details } };
  }
}
