import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { eventually } from '../support/until.ts';

const screenshots = join(import.meta.dirname, '..', '..', 'test-results', 'screenshots');

/** A sheet of A4, so large that each letter has some pixels. */
const size = { width: 800, height: 1131 };
/** Without the viewer's own controls, and the whole sheet. */
const asSheet = '#toolbar=0&navpanes=0&view=Fit';

/** Which parts of a picture are paper and ink, from 0 to 1; what is neither is the edges of letters, or grey. */
export type Sheet = { paper: number; ink: number };

/**
 * Shows a PDF file of one page in the browser's own viewer, keeps the picture of that under this name, and measures it
 * when nothing on it moves any more.
 */
export async function pictureOfPdf(page: Page, url: string, name: string): Promise<Sheet> {
  const viewer = await page.context().newPage();
  await viewer.setViewportSize(size);
  await viewer.goto(url + asSheet);
  const picture = await eventually(async () => {
    const [first, second] = [await viewer.screenshot(), await viewer.screenshot()];
    if (!first.equals(second)) throw new Error('The viewer is still drawing.');
    const sheet = await measure(page, second);
    if (sheet.paper < 0.5 || sheet.ink === 0) throw new Error(`No sheet is shown: ${JSON.stringify(sheet)}`);
    return { bytes: second, sheet };
  }, 20_000);
  mkdirSync(screenshots, { recursive: true });
  writeFileSync(join(screenshots, `${name}.png`), picture.bytes);
  await viewer.close();
  return picture.sheet;
}

/** Counts the pixels of a picture in a page of its own, for Node has nothing that reads pictures. */
async function measure(page: Page, picture: Buffer): Promise<Sheet> {
  const reader = await page.context().newPage();
  // A text, because it runs in the page, whose globals these files do not have types for.
  const sheet = await reader.evaluate(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${picture.toString('base64')}';
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    const { data } = canvas.getImageData(0, 0, image.width, image.height);
    let paper = 0;
    let ink = 0;
    for (let place = 0; place < data.length; place += 4) {
      const light = data[place] + data[place + 1] + data[place + 2];
      if (light > 750) paper += 1;
      else if (light < 250) ink += 1;
    }
    return { paper: (4 * paper) / data.length, ink: (4 * ink) / data.length };
  })()`);
  await reader.close();
  return sheet as Sheet;
}
