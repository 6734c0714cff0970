import { makePhotoHere } from '../../photo-making.js';
import { serve } from './serve.js';

await serve(makePhotoHere);
