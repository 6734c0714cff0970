/** A file that was asked for. */
export interface Photo {
  readonly path: string;
  /** What people are shown; unique among the photos of a job. */
  readonly label: string;
}

/** How far it has come. */
export interface PhotoState {
  readonly word: 'UPLOADING' | 'QUEUED' | 'PROCESSING';
  /** 0 before the first grant. */
  readonly attempt: number;
  readonly percent: number;
  /** What the worker does: fetching, decoding, encoding, storing. */
  readonly stage: string;
}

export interface Size {
  readonly bytes: number;
  /** Pixels, upright. */
  readonly width: number;
  readonly height: number;
}

export type PhotoEnd =
  | { readonly ready: true; readonly before: Size; readonly after: Size; readonly file: string }
  /** `word`: the card's last state, or UNREADABLE for a file that was never handed over. */
  | { readonly ready: false; readonly word: string; readonly reason: string; readonly explanation: string };

export interface PhotoResult {
  readonly photo: Photo;
  readonly end: PhotoEnd;
  /** The last attempt that was seen; 0 when it was too quick to be seen. */
  readonly attempt: number;
  /** From the beginning of the upload to the end. */
  readonly ms: number;
}
