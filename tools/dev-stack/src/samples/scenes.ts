// The drawings behind the sample photos, as SVG in a box of 400 x 300 (upright: 300 x 400) units. No text: fonts differ from machine to machine.

type Stop = readonly [at: number, colour: string, opacity?: number];

const stops = (list: readonly Stop[]): string => list.map(([at, colour, opacity = 1]) => `<stop offset="${at}" stop-color="${colour}" stop-opacity="${opacity}"/>`).join('');
const downwards = (id: string, ...list: Stop[]): string => `<linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1">${stops(list)}</linearGradient>`;
const glow = (id: string, ...list: Stop[]): string => `<radialGradient id="${id}">${stops(list)}</radialGradient>`;
const many = (count: number, draw: (index: number) => string): string => Array.from({ length: count }, (_, index) => draw(index)).join('');
/** Spread 0, 1, 2, ... evenly over 0 to `most`; a pair of both fills a plane evenly without a visible order (the R2 sequence). */
const across = (index: number, most: number): number => Math.round((((index + 1) * 0.7548776662466927) % 1) * most * 10) / 10;
const along = (index: number, most: number): number => Math.round((((index + 1) * 0.5698402909980532) % 1) * most * 10) / 10;

function drawing(width: number, height: number, definitions: string, body: string, scale: number): Buffer {
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width * scale}" height="${height * scale}" viewBox="0 0 ${width} ${height}"><defs>${definitions}</defs>${body}</svg>`);
}

/** @param scale pixels per unit, here and below */
export const hillsAtDawn = (scale: number): Buffer => drawing(400, 300,
  downwards('sky', [0, '#1d3461'], [0.45, '#c86b5e'], [0.7, '#f6b56c'], [1, '#fde8bd'])
    + glow('sun', [0, '#fffbe6'], [0.25, '#fff1b8', 0.9], [1, '#ffcf70', 0]) + downwards('near', [0, '#203524'], [1, '#0c1710']),
  `<rect width="400" height="300" fill="url(#sky)"/><circle cx="270" cy="165" r="95" fill="url(#sun)"/>
  <path d="M0 205 Q70 140 150 190 T290 180 T400 170 V300 H0Z" fill="#6d5a78"/><path d="M0 235 Q90 175 190 222 T400 205 V300 H0Z" fill="#3f4a5c"/>
  <path d="M0 262 Q120 215 230 255 T400 240 V300 H0Z" fill="url(#near)"/>
  ${many(60, (i) => { const x = across(i, 400); const h = 8 + along(i, 14); return `<path d="M${x} ${288 - h} l${h / 4} ${h} h-${h / 2}Z" fill="#12241a"/>`; })}`, scale);

/** Higher than wide: wrong at a glance when it lies on its side. */
export const lighthouse = (scale: number): Buffer => drawing(300, 400,
  downwards('sky', [0, '#3f88c5'], [0.65, '#a9d6e5'], [1, '#f1faee']) + downwards('sea', [0, '#1d5c63'], [1, '#0b2b33']) + glow('lamp', [0, '#fff7c2'], [1, '#fff7c2', 0]),
  `<rect width="300" height="400" fill="url(#sky)"/><g fill="#ffffff" fill-opacity="0.75"><ellipse cx="70" cy="80" rx="42" ry="12"/><ellipse cx="98" cy="70" rx="30" ry="12"/><ellipse cx="238" cy="120" rx="36" ry="9"/></g>
  <rect y="300" width="300" height="100" fill="url(#sea)"/>${many(50, (i) => `<path d="M${across(i, 300)} ${306 + along(i, 90)} q6 -3 12 0" stroke="#7fb3b8" stroke-width="1" fill="none" stroke-opacity="0.6"/>`)}
  <path d="M60 330 Q150 236 250 330 L262 400 H40Z" fill="#4a4238"/><path d="M132 290 L140 130 H170 L178 290Z" fill="#f5f1e8"/><path d="M135 240 L137.500 195 H172.500 L175 240Z M139 158 L140 130 H170 L171 158Z" fill="#c1121f"/>
  <rect x="136" y="122" width="38" height="8" fill="#2b2d42"/><rect x="143" y="98" width="24" height="24" fill="#ffe066"/><path d="M139 98 L155 80 L171 98Z" fill="#2b2d42"/><circle cx="155" cy="110" r="46" fill="url(#lamp)"/>`, scale);

/** Strong reds and greens: dull at a glance when the colour profile is dropped. */
export const poppies = (scale: number): Buffer => drawing(400, 300,
  downwards('sky', [0, '#5fb0e5'], [1, '#dff3ff']) + downwards('field', [0, '#7cb518'], [1, '#2d6a14']) + glow('petal', [0, '#3d0000'], [0.22, '#8a0303'], [0.35, '#ff2a1a'], [1, '#e30613']),
  `<rect width="400" height="300" fill="url(#sky)"/><rect y="130" width="400" height="170" fill="url(#field)"/>
  ${many(140, (i) => { const y = 138 + (i / 140) ** 1.6 * 155; const r = 1.2 + ((y - 130) / 170) * 11; const x = Math.round(((i * 0.618033988749895) % 1) * 4000) / 10; return `<path d="M${x} ${y} v${r * 3}" stroke="#2f5d0a" stroke-width="${r / 5}"/><circle cx="${x}" cy="${y}" r="${r}" fill="url(#petal)"/>`; })}`, scale);

/** See-through, softly: a hard edge or a black corner shows when alpha is lost. */
export const soapBubbles = (scale: number): Buffer => drawing(400, 300,
  many(3, (k) => `<radialGradient id="film${k}" cx="0.4" cy="0.35" r="0.65">${stops([[0, '#ffffff', 0.05], [0.6, ['#8ecae6', '#ffafcc', '#caffbf'][k] ?? '#ffffff', 0.25], [0.88, ['#bde0fe', '#cdb4db', '#fdffb6'][k] ?? '#ffffff', 0.65], [1, ['#3a86ff', '#ff006e', '#38b000'][k] ?? '#ffffff', 0]])}</radialGradient>`),
  many(11, (i) => { const r = 22 + along(i * 3, 45); const x = 50 + across(i, 300); const y = 50 + along(i, 180); return `<circle cx="${x}" cy="${y}" r="${r}" fill="url(#film${i % 3})"/><ellipse cx="${x - r * 0.35}" cy="${y - r * 0.45}" rx="${r * 0.16}" ry="${r * 0.09}" fill="#ffffff" fill-opacity="0.85" transform="rotate(-35 ${x - r * 0.35} ${y - r * 0.45})"/>`; }), scale);

export const streetAtNight = (scale: number): Buffer => drawing(400, 300,
  downwards('sky', [0, '#05060f'], [1, '#1b1f3a']) + downwards('road', [0, '#15161c'], [1, '#33343d']) + glow('lamp', [0, '#ffe9a8'], [0.2, '#ffd166', 0.55], [1, '#ffd166', 0]),
  `<rect width="400" height="300" fill="url(#sky)"/>
  ${many(14, (i) => { const h = 60 + across(i, 120); const x = i * 30 - 8; return `<rect x="${x}" y="${215 - h}" width="28" height="${h}" fill="#10121f"/>${many(Math.floor(h / 14) * 3, (w) => ((i * 7 + w * 5) % 4 === 0 ? '' : `<rect x="${x + 4 + (w % 3) * 8}" y="${222 - h + Math.floor(w / 3) * 14}" width="4.500" height="7" fill="${(i + w) % 3 === 0 ? '#fff3b0' : '#e09f3e'}" fill-opacity="0.8"/>`))}`; })}
  <path d="M150 215 H250 L400 300 H0Z" fill="url(#road)"/>${many(6, (i) => `<rect x="${198 - i}" y="${220 + i * i * 2.6}" width="${2 + i * 2}" height="${2 + i * 2.4}" fill="#d9d9d9"/>`)}
  ${many(6, (i) => { const x = 20 + i * 72; return `<path d="M${x} 250 V168" stroke="#3b3b46" stroke-width="2.500"/><circle cx="${x}" cy="165" r="40" fill="url(#lamp)"/>`; })}`, scale);

export const harbour = (scale: number): Buffer => drawing(400, 300,
  downwards('sky', [0, '#8d99ae'], [1, '#edf2f4']) + downwards('water', [0, '#7b8fa1'], [1, '#2f3e4e']),
  `<rect width="400" height="300" fill="url(#sky)"/><path d="M0 150 Q60 110 130 140 T280 130 T400 145 V190 H0Z" fill="#5c677d"/><rect y="175" width="400" height="125" fill="url(#water)"/>
  ${many(90, (i) => `<path d="M${across(i, 400)} ${180 + along(i, 115)} h${4 + across(i * 5, 14)}" stroke="#c8d3dc" stroke-width="0.700" stroke-opacity="0.5"/>`)}
  ${many(5, (i) => { const x = 35 + i * 78; const y = 205 + (i % 3) * 22; const s = 1 + (i % 3) * 0.35; return `<g transform="translate(${x} ${y}) scale(${s})"><path d="M-22 0 H22 L15 10 H-15Z" fill="${['#9d0208', '#003049', '#386641', '#f77f00', '#6a4c93'][i]}"/><path d="M0 0 V-44" stroke="#3a2e24" stroke-width="1.500"/><path d="M1.500 -42 L20 -6 H1.500Z M-1.500 -36 L-16 -6 H-1.500Z" fill="#fdf6e3"/></g>`; })}`, scale);

/** One frame of a wheel that turns. @param turn 0 to 1 */
export const wheel = (scale: number, turn: number): Buffer => drawing(400, 300,
  downwards('sky', [0, '#2d1e4f'], [1, '#ff8fa3']),
  `<rect width="400" height="300" fill="url(#sky)"/><path d="M200 150 L140 290 H260Z" fill="#3b2c59"/><g transform="rotate(${turn * 60} 200 150)" stroke="#fff1e6" stroke-width="3" fill="none"><circle cx="200" cy="150" r="110"/>
  ${many(6, (i) => `<path d="M200 150 L${(200 + 110 * Math.cos((i * Math.PI) / 3)).toFixed(2)} ${(150 + 110 * Math.sin((i * Math.PI) / 3)).toFixed(2)}"/>`)}</g>
  ${many(6, (i) => { const angle = ((i + turn) * Math.PI) / 3; return `<circle cx="${(200 + 110 * Math.cos(angle)).toFixed(2)}" cy="${(150 + 110 * Math.sin(angle)).toFixed(2)}" r="15" fill="${['#ffbe0b', '#fb5607', '#ff006e', '#8338ec', '#3a86ff', '#06d6a0'][i]}"/>`; })}`, scale);
