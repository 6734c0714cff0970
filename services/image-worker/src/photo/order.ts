import type { SourceFacts } from '../rendering/photo-making.js';
import type { RenditionSpec } from '../rendering/rendition.js';

/** One version of one object, as the producer confirmed it. */
export interface Source {
  readonly key: string;
  readonly versionId: string;
  /** 0 or more. */
  readonly sizeBytes: number;
  /** 32 bytes; undefined when nobody computed it. */
  readonly sha256: Buffer | undefined;
}

/** What a job asks for: the newest model of the kind `image`, whatever version of the contract it came in. */
export interface PhotoOrder {
  readonly source: Source;
  /** `renditions/{namespace}/{file}/` */
  readonly renditionPrefix: string;
  readonly spec: RenditionSpec;
}

/** What a job has made. */
export interface PhotoMade {
  readonly rendition: {
    readonly key: string;
    readonly versionId: string;
    /** 32 bytes. */
    readonly sha256: Buffer;
    readonly sizeBytes: number;
    /** Pixels, upright. */
    readonly width: number;
    readonly height: number;
  };
  readonly source: SourceFacts;
}
