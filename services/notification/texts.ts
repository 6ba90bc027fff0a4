import { catalogue } from '../../web/catalogue.ts';

/** What people read of the notification service itself. */
export const texts = catalogue({
  en: {
    test: {
      subject: (brand: string) => `Test message of ${brand}`,
      text: (brand: string) => `This is a test message of ${brand}. The channel works.`,
    },
  },
});
