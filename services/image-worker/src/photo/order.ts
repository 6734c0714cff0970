import type { SourceVersion } from '@leasehold/worker-runtime';
import type { PictureOrder, SourceFacts } from '../rendering/picture-order.js';

/** What a job asks for: the one model of the kind `image`, whatever version of the contract it came in. */
export interface PhotoOrder {
  /** As the producer confirmed it. */
  readonly source: SourceVersion;
  /** `renditions/{namespace}/{file}/` */
  readonly renditionPrefix: string;
  readonly pictures: PictureOrder;
}

/** One picture in the store. */
export interface StoredRendition {
  /** As in its order. */
  readonly name: string;
  readonly key: string;
  readonly versionId: string;
  /** 32 bytes. */
  readonly sha256: Buffer;
  readonly sizeBytes: number;
  /** Pixels, upright. */
  readonly width: number;
  readonly height: number;
  /** `image/webp`, `image/avif` or `image/jpeg`. */
  readonly contentType: string;
  /** 1 for a still. */
  readonly frames: number;
}

/** What a job has made. */
export interface PhotoMade {
  /** One per rendition of the order, in its order. */
  readonly renditions: readonly StoredRendition[];
  readonly placeholder: { readonly webp: Buffer; readonly width: number; readonly height: number } | undefined;
  readonly source: SourceFacts;
}
