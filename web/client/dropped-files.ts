/** A file, and its path below the folder that was dropped. */
export type NamedFile = { file: File; name: string };

/** The files of a drop, with those in its folders. */
export async function droppedFiles(transfer: DataTransfer): Promise<NamedFile[]> {
  // The items are empty after the event, so that entries and files are read before the first wait.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const plain = [...transfer.files].map((file) => ({ file, name: file.name }));
  if (entries.every(({ isFile }) => isFile)) return plain;
  return (await Promise.all(entries.map((entry) => filesIn(entry, '')))).flat();
}

async function filesIn(entry: FileSystemEntry, folder: string): Promise<NamedFile[]> {
  const name = folder + entry.name;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ file, name }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: NamedFile[] = [];
  // A read returns a part of the entries, and none at the end.
  for (let part = await read(reader); part.length > 0; part = await read(reader)) {
    found.push(...(await Promise.all(part.map((one) => filesIn(one, `${name}/`)))).flat());
  }
  return found;
}

function read(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}
