import { languageOf } from '../../../lib/format/language.ts';
import { publicPage, type Visit } from '../../../web/define-page.ts';
import { type PageAnswer, redirectTo } from '../../../web/page.ts';
import { themeOf } from '../../../web/page-context.ts';
import { pickFields } from '../../../web/pick.ts';
import { keepLanguage } from '../me.ts';

/**
 * The choices of a colour scheme and of a language, which every page offers. They have no token: another site's form is
 * refused by its origin.
 */
export const appearancePages = {
  'pages.theme.choose': publicPage({
    rest: 'POST /self-service/theme',
    summary: 'Choose light or dark pages, or follow the system',
    handler: chooseTheme,
  }),
  'pages.language.choose': publicPage({
    rest: 'POST /self-service/language',
    summary: 'Choose the language of pages, and of mails to the signed-in user',
    handler: chooseLanguage,
  }),
};

function chooseTheme(visit: Visit): PageAnswer {
  const { theme } = pickFields(visit.form, 'theme');
  visit.browser.keepTheme(themeOf(theme));
  return back(visit);
}

async function chooseLanguage(visit: Visit): Promise<PageAnswer> {
  const { user, form, browser } = visit;
  const language = languageOf(pickFields(form, 'language').language);
  browser.keepLanguage(language);
  if (user) await keepLanguage(user.id, language);
  return back(visit);
}

function back({ browser }: Visit): PageAnswer {
  return redirectTo(browser.referer ?? '/account');
}
