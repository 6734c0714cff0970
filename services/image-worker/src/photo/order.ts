import type { SourceVersion } from '@leasehold/worker-runtime';
import type { SourceFacts } from '../rendering/photo-making.js';
import type { RenditionSpec } from '../rendering/rendition.js';

/** What a job asks for: the newest model of the kind `image`, whatever version of the contract it came in. */
export interface PhotoOrder {
  /** As the producer confirmed it. */
  readonly source: SourceVersion;
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
