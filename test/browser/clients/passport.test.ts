import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import passport from 'passport';
import { withBrowser } from '../../support/browser.ts';
import { createOAuthClient } from '../../support/oauth-database-client.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { createTenant, databaseUrlOf } from '../../support/tenants.ts';
import { createUser, type User } from '../../support/user-client.ts';
import { expectUsable } from '../pages-browser.ts';

// The package has no types of its own.
const { default: OpenIDConnectStrategy } = (await import('passport-openidconnect' as string)) as {
  default: new (options: object, verify: Verify) => passport.Strategy;
};
type Profile = { id: string; displayName?: string; emails?: { value: string }[] };
type Verify = (issuer: string, profile: Profile, done: (error: unknown, user?: unknown) => void) => void;

/** A product as many are: Express, a session of its own, and passport-openidconnect without PKCE. */
describe('an Express app with passport-openidconnect', () => {
  const visit = withBrowser();
  let platform: Platform;
  let app: Server;
  let appUrl: string;
  let user: User;

  beforeAll(async () => {
    platform = await startPlatform();
    const databaseUrl = await databaseUrlOf(platform);
    user = await createUser(databaseUrl);
    const product = express();
    app = product.listen(0, '127.0.0.1');
    await new Promise((resolve) => app.once('listening', resolve));
    appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
    const redirectUris = [`${appUrl}/callback`];
    const client = await createOAuthClient(databaseUrl, await createTenant(databaseUrl), { redirectUris });
    serveProduct(product, client);
  });
  afterAll(() => void app.close());

  test('logs a person in through the hosted pages, asks them once, and knows who they are', async () => {
    await visit(async ({ page, complaints }) => {
      await page.goto(`${appUrl}/`);
      await page.fill('input[name=email]', user.email);
      await page.fill('input[name=password]', user.password);
      await page.press('input[name=password]', 'Enter');
      await page.getByRole('heading', { name: /Application of a test/ }).waitFor();
      expect(await page.textContent('main')).toContain('Organization of a test');
      await expectUsable(page, 'consent');
      await page.getByRole('button', { name: /^Allow/ }).click();
      await page.waitForURL(`${appUrl}/`);
      expect(JSON.parse((await page.textContent('body'))!)).toMatchObject({
        id: user.userId,
        emails: [{ value: user.email }],
      });
      await page.goto(`${appUrl}/logout`);
      await page.goto(`${appUrl}/`);
      // Still logged in with the platform, and the consent is remembered: nothing is asked again.
      expect(JSON.parse((await page.textContent('body'))!)).toMatchObject({ id: user.userId });
      expect(complaints).toEqual([]);
    });
  });

  function serveProduct(
    product: express.Express,
    { clientId, clientSecret }: { clientId: string; clientSecret: string },
  ) {
    const issuer = `${platform.url}/oauth2`;
    passport.use(
      new OpenIDConnectStrategy(
        {
          issuer,
          authorizationURL: `${issuer}/auth`,
          tokenURL: `${issuer}/token`,
          userInfoURL: `${issuer}/userinfo`,
          clientID: clientId,
          clientSecret,
          callbackURL: `${appUrl}/callback`,
          scope: ['profile', 'email'],
          skipUserProfile: false,
        },
        (_issuer, profile, done) => done(null, profile),
      ),
    );
    passport.serializeUser((person, done) => done(null, person));
    passport.deserializeUser((person: Express.User, done) => done(null, person));
    product.get('/favicon.ico', (_request, response) => void response.sendStatus(204));
    product.use(session({ secret: 'of a test', resave: false, saveUninitialized: false }));
    product.use(passport.session());
    product.get('/callback', passport.authenticate('openidconnect', { successRedirect: '/' }));
    product.get('/logout', (request, response, next) => {
      request.logout((error) => (error ? next(error) : response.send('bye')));
    });
    product.get('/', (request, response, next) => {
      if (request.user) response.json(request.user);
      else passport.authenticate('openidconnect')(request, response, next);
    });
  }
});
