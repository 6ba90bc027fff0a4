const storageKey = 'connect-sound';

/** Short sound for a new message; off until the visitor turns it on. */
export type Sound = { isOn: () => boolean; toggle: () => void; play: () => void };

export function createSound(): Sound {
  let isOn = read();
  let context: AudioContext | null = null;
  return {
    isOn: () => isOn,
    toggle() {
      isOn = !isOn;
      keep(isOn);
      if (isOn) this.play();
    },
    play() {
      if (!isOn) return;
      context ??= new AudioContext();
      beep(context);
    },
  };
}

function beep(context: AudioContext): void {
  const at = context.currentTime;
  const tone = context.createOscillator();
  const volume = context.createGain();
  tone.frequency.setValueAtTime(660, at);
  tone.frequency.setValueAtTime(880, at + 0.09);
  volume.gain.setValueAtTime(0.08, at);
  volume.gain.exponentialRampToValueAtTime(0.0001, at + 0.3);
  tone.connect(volume).connect(context.destination);
  tone.start(at);
  tone.stop(at + 0.3);
}

function read(): boolean {
  try {
    return localStorage.getItem(storageKey) === 'on';
  } catch {
    return false;
  }
}

function keep(isOn: boolean): void {
  try {
    localStorage.setItem(storageKey, isOn ? 'on' : 'off');
  } catch {
    // Where storage is forbidden, the setting is kept as long as the page is open.
  }
}
