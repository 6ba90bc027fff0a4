import { gzipSync } from 'node:zlib';
import { frameAssets, loader } from '../../widget/assets.ts';
import type { Figure } from '../figure.ts';

const kilobyte = 1024;
const maxBytes = { loader: 5 * kilobyte, frame: 30 * kilobyte };

/**
 * Measures the compressed sizes that a browser loads of the widget: the loader of every page, and the opened
 * conversation.
 */
export function measureWidgetSizes(): Figure[] {
  const loads = [
    { name: 'loader of the widget, compressed', files: [loader.read()], bar: maxBytes.loader },
    {
      name: 'frame of the widget, all files, compressed',
      files: frameAssets.map(({ read }) => read()),
      bar: maxBytes.frame,
    },
  ];
  return loads.map(({ name, files, bar }) => sizeOf(name, files, bar));
}

function sizeOf(name: string, files: Buffer[], bar: number): Figure {
  const sizes = files.map((bytes) => gzipSync(bytes, { level: 9 }).length);
  const size = sizes.reduce((sum, one) => sum + one, 0);
  const inWords = (bytes: number): string => `${(bytes / kilobyte).toFixed(1)} KB`;
  return {
    name,
    value: inWords(size),
    beside: '',
    ratio: null,
    bar: `≤ ${inWords(bar)}`,
    holds: size <= bar,
    rounds: sizes,
  };
}
