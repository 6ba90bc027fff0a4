import {
  hasBrand,
  hasDocType,
  hasFontTables,
  hasIcons,
  hasWindowsHeader,
  isAdts,
  isMp3,
  isTransportStream,
} from './byte-checks.ts';
import { compoundTypes, zipTypes } from './media-type.ts';

/** The magic bytes of a format. Texts stand for their bytes in Latin-1; types are canonical. */
export type Signature = {
  /** The noun in error messages. */
  name: string;
  type: string;
  /** The content begins with one of these. */
  starts: readonly string[];
  /** The content also contains each of these, at its offset in bytes. */
  has?: readonly (readonly [offset: number, text: string])[];
  /** The content also passes this check of its first bytes. */
  check?: (head: Buffer) => boolean;
  /** Types that a declaration or a file name may select, because the bytes do not distinguish them. */
  compatible?: readonly string[];
  /** The top-level types in which formats without a separate signature are built on this one. */
  hosts?: readonly string[];
  /** Whether Unicode text can be of this format. Otherwise a letter that begins with `OTTO` would be a font. */
  isText?: boolean;
};

const heif = ['image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence'];
const heicBrands = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx'];
const isoMedia = [
  'video/mp4',
  'audio/mp4',
  'video/quicktime',
  'video/3gpp',
  'audio/3gpp',
  'video/3gpp2',
  'audio/3gpp2',
];
const matroska = ['video/webm', 'audio/webm', 'video/x-matroska', 'audio/x-matroska'];
const ogg = ['audio/ogg', 'video/ogg', 'application/ogg', 'audio/opus', 'audio/vorbis', 'audio/x-speex'];
const asf = ['video/x-ms-wmv', 'audio/x-ms-wma', 'video/x-ms-asf'];
const postScript = 'application/postscript';
const programs = [
  'application/vnd.microsoft.portable-executable',
  'application/x-elf',
  'application/x-executable',
  'application/x-mach-binary',
  'application/x-pie-executable',
  'application/x-sharedlib',
  'application/java-vm',
];

const images: Signature[] = [
  { name: 'a PNG image', type: 'image/png', starts: ['\x89PNG\r\n\x1a\n'], compatible: ['image/apng'] },
  { name: 'a JPEG image', type: 'image/jpeg', starts: ['\xff\xd8\xff'] },
  { name: 'a GIF image', type: 'image/gif', starts: ['GIF87a', 'GIF89a'], isText: true },
  { name: 'a WebP image', type: 'image/webp', starts: ['RIFF'], has: [[8, 'WEBP']] },
  { name: 'an AVIF image', type: 'image/avif', ...isoFile(hasBrand('avif', 'avis')) },
  { name: 'a HEIC image', type: 'image/heic', compatible: heif, ...isoFile(hasBrand(...heicBrands)) },
  { name: 'a HEIF image', type: 'image/heif', compatible: heif, ...isoFile(hasBrand('mif1', 'msf1')) },
  { name: 'a BMP image', type: 'image/bmp', starts: ['BM'], has: [[6, '\0\0\0\0']] },
  { name: 'an icon', type: 'image/vnd.microsoft.icon', starts: ['\0\0\x01\0', '\0\0\x02\0'], check: hasIcons },
  { name: 'a TIFF image', type: 'image/tiff', starts: ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'], hosts: ['image'] },
  { name: 'a JPEG XL image', type: 'image/jxl', starts: ['\xff\x0a', '\0\0\0\x0cJXL \r\n\x87\n'] },
  { name: 'a Photoshop image', type: 'image/vnd.adobe.photoshop', starts: ['8BPS\0\x01', '8BPS\0\x02'] },
];

const documents: Signature[] = [
  {
    name: 'a PDF document',
    type: 'application/pdf',
    starts: ['%PDF-'],
    compatible: [postScript, 'application/illustrator', 'application/vnd.adobe.illustrator'],
    isText: true,
  },
  { name: 'a PostScript document', type: postScript, starts: ['%!PS'], isText: true },
  {
    name: 'an RTF document',
    type: 'application/rtf',
    starts: ['{\\rtf'],
    compatible: ['application/msword'],
    isText: true,
  },
  {
    name: 'a compound file of Office',
    type: 'application/x-ole-storage',
    starts: ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
    // Password-protected documents of newer Office versions are compound files.
    compatible: [...Object.values(compoundTypes), ...Object.values(zipTypes)],
    hosts: ['application', 'image'],
  },
  {
    name: 'an SQLite database',
    type: 'application/vnd.sqlite3',
    starts: ['SQLite format 3\0'],
    hosts: ['application'],
  },
];

const archives: Signature[] = [
  {
    name: 'a ZIP archive',
    type: 'application/zip',
    starts: ['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'],
    compatible: Object.values(zipTypes),
    hosts: ['application', 'model'],
  },
  { name: 'a gzip archive', type: 'application/gzip', starts: ['\x1f\x8b\x08'], hosts: ['application'] },
  {
    name: 'a bzip2 archive',
    type: 'application/x-bzip2',
    starts: ['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((level) => `BZh${level}`),
    hosts: ['application'],
  },
  { name: 'an xz archive', type: 'application/x-xz', starts: ['\xfd7zXZ\0'], hosts: ['application'] },
  { name: 'a Zstandard archive', type: 'application/zstd', starts: ['\x28\xb5\x2f\xfd'], hosts: ['application'] },
  { name: 'a 7z archive', type: 'application/x-7z-compressed', starts: ['7z\xbc\xaf\x27\x1c'] },
  { name: 'a RAR archive', type: 'application/vnd.rar', starts: ['Rar!\x1a\x07'] },
  { name: 'a tar archive', type: 'application/x-tar', starts: [''], has: [[257, 'ustar']], hosts: ['application'] },
];

const audioAndVideo: Signature[] = [
  { name: 'a QuickTime video', type: 'video/quicktime', compatible: isoMedia, ...isoFile(hasBrand('qt  ')) },
  ...['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'].map((box) => ({
    name: 'a QuickTime video',
    type: 'video/quicktime',
    starts: ['\0'],
    has: [[4, box]] as const,
    compatible: isoMedia,
  })),
  {
    name: 'an MPEG-4 audio file',
    type: 'audio/mp4',
    compatible: isoMedia,
    ...isoFile(hasBrand('M4A ', 'M4B ', 'M4P ')),
  },
  { name: 'a 3GPP2 video', type: 'video/3gpp2', compatible: isoMedia, ...isoFile(), has: [[4, 'ftyp3g2']] },
  { name: 'a 3GPP video', type: 'video/3gpp', compatible: isoMedia, ...isoFile(), has: [[4, 'ftyp3g']] },
  { name: 'an MPEG-4 file', type: 'video/mp4', compatible: isoMedia, hosts: ['audio', 'image', 'video'], ...isoFile() },
  {
    name: 'a WebM file',
    type: 'video/webm',
    starts: ['\x1aE\xdf\xa3'],
    check: hasDocType('webm'),
    compatible: matroska,
  },
  {
    name: 'a Matroska file',
    type: 'video/x-matroska',
    starts: ['\x1aE\xdf\xa3'],
    compatible: matroska,
    hosts: ['audio', 'video'],
  },
  ...['OpusHead', '\x01vorbis', 'Speex   ', '\x7fFLAC'].map((codec) => ({
    name: 'an Ogg audio file',
    type: 'audio/ogg',
    starts: ['OggS'],
    has: [[28, codec]] as const,
    compatible: ogg,
  })),
  { name: 'an Ogg video', type: 'video/ogg', starts: ['OggS'], has: [[28, '\x80theora']], compatible: ogg },
  { name: 'an Ogg file', type: 'application/ogg', starts: ['OggS'], compatible: ogg },
  { name: 'an MP3 file', type: 'audio/mpeg', starts: ['ID3'], compatible: ['audio/aac', 'audio/flac'] },
  { name: 'an MP3 file', type: 'audio/mpeg', starts: ['\xff'], check: isMp3 },
  { name: 'an AAC file', type: 'audio/aac', starts: ['\xff'], check: isAdts },
  { name: 'a WAV file', type: 'audio/wav', starts: ['RIFF', 'RF64', 'BW64'], has: [[8, 'WAVE']] },
  { name: 'an AIFF file', type: 'audio/aiff', starts: ['FORM'], has: [[8, 'AIF']] },
  { name: 'a FLAC file', type: 'audio/flac', starts: ['fLaC'] },
  { name: 'a MIDI file', type: 'audio/midi', starts: ['MThd\0\0\0\x06'] },
  { name: 'an AVI video', type: 'video/x-msvideo', starts: ['RIFF'], has: [[8, 'AVI ']] },
  {
    name: 'a Windows Media file',
    type: 'video/x-ms-asf',
    starts: ['\x30\x26\xb2\x75\x8e\x66\xcf\x11'],
    compatible: asf,
  },
  { name: 'an MPEG video', type: 'video/mpeg', starts: ['\0\0\x01\xba', '\0\0\x01\xb3'] },
  { name: 'an MPEG transport stream', type: 'video/mp2t', starts: ['G'], check: isTransportStream },
];

const fontsAndPrograms: Signature[] = [
  { name: 'a WOFF font', type: 'font/woff', starts: ['wOFF'] },
  { name: 'a WOFF2 font', type: 'font/woff2', starts: ['wOF2'] },
  {
    name: 'a TrueType font',
    type: 'font/ttf',
    starts: ['\0\x01\0\0', 'true\0'],
    check: hasFontTables,
    compatible: ['font/otf', 'font/sfnt'],
  },
  { name: 'an OpenType font', type: 'font/otf', starts: ['OTTO'], check: hasFontTables, compatible: ['font/sfnt'] },
  { name: 'a font collection', type: 'font/collection', starts: ['ttcf\0'] },
  { name: 'a WebAssembly module', type: 'application/wasm', starts: ['\0asm'] },
  { name: 'a Flash file', type: 'application/x-shockwave-flash', starts: ['FWS', 'CWS', 'ZWS'] },
  { name: 'a Windows program', ...programOf(['MZ']), check: hasWindowsHeader },
  { name: 'an ELF program', ...programOf(['\x7fELF']) },
  {
    name: 'a Mach-O program',
    ...programOf(['\xfe\xed\xfa\xce', '\xfe\xed\xfa\xcf', '\xce\xfa\xed\xfe', '\xcf\xfa\xed\xfe', '\xca\xfe\xba\xbe']),
  },
];

/** An ISO media file; its first box is the file type box, smaller than 64 KiB. */
function isoFile(check?: Signature['check']): Pick<Signature, 'starts' | 'has' | 'check'> {
  return { starts: ['\0\0'], has: [[4, 'ftyp']], ...(check && { check }) };
}

/** A program is stored as unspecific bytes, unless a declaration names its type. */
function programOf(starts: string[]): Pick<Signature, 'type' | 'starts' | 'compatible'> {
  return { type: 'application/octet-stream', starts, compatible: programs };
}

/** The binary formats that are recognised; the first match applies. */
export const signatures: readonly Signature[] = [
  ...images,
  ...documents,
  ...archives,
  ...audioAndVideo,
  ...fontsAndPrograms,
];

/** The types with valid files that no signature matches. */
export const typesOftenUnsigned: ReadonlySet<string> = new Set([
  'application/java-vm',
  'application/x-tar',
  'audio/aac',
  'audio/mpeg',
  'video/mp2t',
  'video/mpeg',
  ...programs,
]);
