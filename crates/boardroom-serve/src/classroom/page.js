'use strict';
// The token stands behind the `#` of the link, so that it is in no log of requests.
const token = location.hash.slice(1);
const $ = (id) => document.getElementById(id);
const el = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, '');
    else if (value !== false && value != null) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
};
const words = (key) => key.replaceAll('_', ' ');
const figure = (x) => (typeof x === 'number' ? String(Math.round(x * 100) / 100) : String(x));

async function call(path, body) {
  const answer = await fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.message || `the server answered ${answer.status}`);
  return value;
}

// Server-sent events over fetch, because EventSource cannot send the token as a header. A browser keeps six
// connections to a server at most, so a page that nobody sees gives its own back. The server writes every ten seconds:
// a connection that is silent for longer is dead, as after a sleep of the machine, and no browser says so.
const SILENCE = 25000;
async function listen(path, show) {
  let stop = null;
  let resume = () => {};
  document.addEventListener('visibilitychange', () => { if (document.hidden) stop?.abort('hidden'); else resume(); });
  for (;;) {
    if (document.hidden) await new Promise((shown) => { resume = shown; });
    stop = new AbortController();
    let silence;
    const heard = () => { clearTimeout(silence); silence = setTimeout((of) => of.abort(new Error('the server is silent')), SILENCE, stop); };
    try {
      heard();
      const answer = await fetch(path, { headers: { Authorization: `Bearer ${token}` }, signal: stop.signal });
      if (answer.status === 401 || answer.status === 403) throw new Error('the link is not valid');
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      $('link-state').textContent = '';
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        heard();
        text += value;
        const parts = text.split('\n\n');
        text = parts.pop();
        for (const part of parts) {
          // No regular expression: to it a line also ends at U+2028, which may stand in what somebody wrote.
          const field = (name) => part.split('\n').find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
          if (field('event') && field('data')) show(field('event'), JSON.parse(field('data')));
        }
      }
    } catch (error) {
      if (stop.signal.reason === 'hidden') continue;
      $('link-state').textContent = `Connection lost (${error.message}); trying again …`;
    } finally {
      clearTimeout(silence);
    }
    await new Promise((later) => setTimeout(later, 1000));
  }
}
// Draws what was sent last, once for all that is sent together. A list that is open would close, so it is waited for.
let drawing = null;
let focused = 0;
for (const event of ['focusin', 'pointerdown']) document.addEventListener(event, () => { focused = Date.now(); });
document.addEventListener('change', () => { focused = 0; }, true);
function draw(show) {
  const isWaiting = drawing !== null;
  drawing = show;
  const now = () => {
    if (document.activeElement?.tagName === 'SELECT' && Date.now() - focused < 10000) { setTimeout(now, 100); return; }
    const last = drawing;
    drawing = null;
    last();
  };
  if (!isWaiting) setTimeout(now, 20);
}

// The pictures that the server has drawn: [{caption, svg, keys: [{class, name}, ..]}, ..].
function pictures(all) {
  return el('div', { class: 'plots' }, ...all.map((of) => el('figure', { role: 'img', 'aria-label': of.caption }, el('figcaption', {}, of.caption),
    of.svg ? new DOMParser().parseFromString(of.svg, 'image/svg+xml').documentElement : null,
    el('p', { class: 'keys' }, ...of.keys.map((key) => el('span', {}, el('span', { class: `key k-${key.class}` }), key.name))))));
}
const flat = (value) => Object.fromEntries(Object.entries(value || {}).filter(([, v]) => typeof v === 'number'));
function tile(name, value) {
  return el('div', { class: 'tile' }, el('span', {}, name), el('b', {}, value));
}
function result(of, optimum) {
  if (!of) return el('p', {}, 'The game is over.');
  const shown = [['score', `${figure(of.value)} ${of.unit || ''}`]];
  if (of.reference) shown.push([`reference (${of.reference.status})`, figure(of.reference.value)], ['regret', of.regret == null ? '–' : figure(of.regret)]);
  if (optimum && optimum.result) shown.push(['the optimum’s play', figure(optimum.result.value)]);
  const metrics = Object.entries(of.metrics || {}).filter(([key]) => /^(bullwhip|cost_|chain_cost|service)/.test(key) || !of.metrics.chain_cost);
  const best = (optimum && optimum.result && optimum.result.metrics) || {};
  return el('div', {},
    el('div', { class: 'tiles' }, ...shown.map(([a, b]) => tile(a, b))),
    of.closed_by ? el('p', {}, `Closed early (${of.closed_by}).`) : null,
    el('div', { class: 'scroll' }, el('table', {}, el('tr', {}, el('th', {}, 'figure'), el('th', {}, 'team'), el('th', {}, 'optimum')),
      ...metrics.map(([key, value]) => el('tr', {}, el('td', {}, words(key)), el('td', {}, figure(value)), el('td', {}, key in best ? figure(best[key]) : '–'))))));
}

// ---- a player ----
let seen = null;
let told = '';
const drafts = {};
function field(tool, name, schema, required) {
  const id = `${tool}.${name}`;
  const type = [].concat(schema.type || []);
  const keep = (event) => { drafts[id] = event.target.value; };
  const shared = { id, name, required, oninput: keep, onchange: keep };
  let input;
  if (schema.enum) input = el('select', shared, ...schema.enum.map((word) => el('option', {}, String(word))));
  else if (type.includes('integer') || type.includes('number')) {
    input = el('input', { ...shared, type: 'number', inputmode: 'decimal', step: type.includes('integer') ? 1 : 'any', min: schema.minimum, max: schema.maximum });
  } else if (type.includes('object') || type.includes('array')) input = el('textarea', { ...shared, placeholder: 'JSON' });
  else if (name === 'text') input = el('textarea', { ...shared, rows: 5 });
  else input = el('input', { ...shared, type: 'text' });
  if (id in drafts) input.value = drafts[id];
  return el('label', { for: id }, words(name), input, schema.description ? el('small', {}, schema.description) : null);
}
function read(form, tool) {
  const values = {};
  for (const [name, schema] of Object.entries(tool.arguments.properties || {})) {
    const text = form.elements[name] ? form.elements[name].value : '';
    if (text === '') continue;
    const type = [].concat(schema.type || []);
    if (type.includes('integer') || type.includes('number')) values[name] = Number(text);
    else if (type.includes('object') || type.includes('array')) values[name] = JSON.parse(text);
    else values[name] = text;
  }
  return values;
}
function form(tool, path, turn) {
  const properties = Object.entries(tool.arguments.properties || {});
  const required = tool.arguments.required || [];
  const send = async (event) => {
    event.preventDefault();
    const button = event.target.querySelector('button');
    button.disabled = true;
    try {
      const answer = await call(`${path}/act`, { tool: tool.name, arguments: read(event.target, tool), turn });
      told = answer.text || '';
      if (!answer.error) for (const [name] of properties) delete drafts[`${tool.name}.${name}`];
    } catch (error) { told = error.message; }
    button.disabled = false;
    player(seen, path);
  };
  return el('form', { onsubmit: send }, ...properties.map(([name, schema]) => field(tool.name, name, schema, required.includes(name))),
    el('button', {}, words(tool.name)), el('p', {}, el('small', {}, tool.about)));
}
// What is not saved is said above everything else.
function unsaved(view, text) {
  $('unsaved').hidden = !view.unsaved;
  $('unsaved').textContent = view.unsaved ? text : '';
}
let deadline = null;
function player(view, path) {
  seen = view;
  $('title').textContent = view.seat === 'agent' ? view.environment : `${view.seat}, team ${view.team}`;
  $('where').textContent = view.over ? 'over' : `${view.unit} ${view.turn + 1}${view.of ? ` of ${view.of}` : ''}`;
  $('unencrypted').hidden = !view.unencrypted;
  unsaved(view, view.goes_on_unsaved ? 'This game is not saved: what you decide is lost if the server stops.' : 'What is decided cannot be saved at the moment. The game pauses until the teacher lets it go on.');
  // The time that was left when it was sent, however often it is drawn.
  view.at ??= Date.now();
  deadline = view.left_ms == null || view.decided ? null : view.at + view.left_ms;
  const main = el('main', { id: 'main' });
  const own = view.players.find((p) => p.seat === view.seat) || {};
  if (view.over) {
    const all = view.debrief || {};
    main.append(el('h2', {}, 'The game is over'));
    if (all.result) main.append(result(all.result, all.optimum), pictures([...all.plots, ...((all.optimum || {}).plots || [])]));
    const why = { teams: 'The page shows the results, and what the optimum would have done, once every team is over.', solver: 'The optimum is still being computed.' }[all.waits_for];
    if (why) main.append(el('p', { id: 'waits' }, why));
  } else if (!view.name || own.bot) {
    const joining = async (event) => {
      event.preventDefault();
      try { player(await call(`${path}/join`, { name: event.target.elements.who.value }), path); } catch (error) { $('link-state').textContent = error.message; }
    };
    const who = el('input', { type: 'text', id: 'who', name: 'who', maxlength: 40, autocomplete: 'off', oninput: (event) => { drafts.who = event.target.value; } });
    who.value = drafts.who ?? view.name ?? '';
    if (own.bot) main.append(el('p', { id: 'bot' }, el('b', {}, `A ${own.model ? 'model' : 'policy'} plays this seat (${own.bot}). `), 'Join to take it over.'));
    main.append(el('p', {}, view.about), el('form', { onsubmit: joining }, el('label', {}, 'your name (may be left out)', who), el('button', {}, 'join')));
  } else if (view.phase === 'lobby') {
    main.append(el('p', {}, 'You have joined. The game begins when the teacher starts it.'));
  } else {
    const tools = view.tools || [];
    const waiting = view.players.filter((p) => !p.decided && p.seat !== view.seat).map((p) => p.seat);
    // The head of the page tells the week, and the form its largest number.
    const numbersSeen = Object.entries(flat(view.observation)).filter(([key]) => !['week', 'weeks', 'largest_order'].includes(key));
    main.append(el('p', { id: 'clock' }));
    if (view.phase === 'paused' && !view.unsaved) main.append(el('p', { class: 'warn' }, 'The teacher has paused the game.'));
    // What opens the turn is shown below; it is also a part of the last answer.
    const said = view.opening ? told.replace(view.opening, '').trim() : told;
    if (said) main.append(el('pre', { class: 'tile', role: 'status' }, said));
    main.append(el('div', { class: 'tiles' }, ...numbersSeen.map(([key, value]) => tile(words(key), figure(value)))));
    // What is said is read before it is answered; figures have their tiles.
    const speaks = !numbersSeen.length;
    if (speaks) main.append(el('pre', {}, view.opening || ''));
    if (view.decided) main.append(el('p', {}, el('b', {}, view.unsaved ? 'Your decision is made, but it may not be saved. ' : 'Your decision is sealed. '), waiting.length ? `Waiting for ${waiting.join(', ')}.` : ''));
    else if (!tools.length) main.append(el('p', {}, `It is the turn of ${waiting.join(', ')}.`));
    else for (const tool of tools.filter((t) => t.kind !== 'getter')) main.append(form(tool, path, view.turn));
    if (!speaks && !view.rows.length) main.append(el('pre', {}, view.opening || ''));
    main.append(pictures(view.plots || []));
    const more = tools.filter((t) => t.kind === 'getter');
    if (more.length && !view.decided) main.append(el('details', {}, el('summary', {}, 'look something up'), ...more.map((tool) => form(tool, path, view.turn))));
    main.append(el('details', {}, el('summary', {}, 'rules'), el('pre', {}, view.rules || '')));
  }
  replace(main);
}
function replace(main) {
  const old = $('main');
  const focused = old.contains(document.activeElement) ? document.activeElement.id : '';
  const open = [...old.querySelectorAll('details')].map((d) => d.open);
  old.replaceWith(main);
  main.querySelectorAll('details').forEach((d, k) => { d.open = Boolean(open[k]); });
  if (focused && $(focused)) $(focused).focus();
}
setInterval(() => {
  if (deadline && $('clock')) $('clock').textContent = `${Math.max(0, Math.ceil((deadline - Date.now()) / 1000))} s left`;
}, 250);

// ---- the teacher ----
const room = { room: null, teams: {} };
function teacher() {
  const r = room.room;
  if (!r) return;
  $('title').textContent = `${r.environment}, ${r.preset}`;
  $('where').textContent = r.phase;
  $('unencrypted').hidden = !r.unencrypted;
  const act = (what, body) => async () => {
    try {
      await call(`/api/teacher/${what}`, body || {});
      $('link-state').textContent = '';
    } catch (error) { $('link-state').textContent = error.message; }
  };
  unsaved(r, `The class is not saved: ${r.unsaved_why}. ${r.goes_on_unsaved ? 'It goes on nevertheless: what is decided now is lost if the server stops.' : 'The games pause. Make room, or go on without saving.'}`);
  const limit = el('input', { type: 'number', id: 'limit', min: 0, placeholder: 'seconds' });
  limit.value = $('limit') ? $('limit').value : r.limit || '';
  const main = el('main', { id: 'main' }, el('div', { class: 'row' },
    r.phase === 'running' ? el('button', { onclick: act('pause') }, 'pause') : el('button', { onclick: act('start') }, r.phase === 'lobby' ? 'start' : 'go on'),
    r.unsaved && r.phase !== 'running' ? el('button', { class: 'quiet', onclick: act('start', { unsaved: true }) }, `${r.phase === 'lobby' ? 'start' : 'go on'} without saving`) : null,
    el('label', {}, `time for a ${r.unit}`, limit),
    el('button', { class: 'quiet', onclick: () => act('limit', { seconds: Number(limit.value) || null })() }, 'set')));
  const teams = Object.values(room.teams).sort((a, b) => a.team - b.team);
  const finished = teams.filter((t) => t.over && t.result);
  if (finished.length) {
    main.append(el('h2', {}, 'Results'), el('div', { class: 'scroll' }, el('table', {}, el('tr', {}, el('th', {}, 'team'), el('th', {}, 'score'), el('th', {}, 'regret'), el('th', {}, 'bullwhip')),
      ...finished.map((t) => el('tr', {}, el('td', {}, t.result.closed_by ? `${t.team}, closed early` : String(t.team)), el('td', {}, figure(t.result.value)), el('td', {}, t.result.regret == null ? '–' : figure(t.result.regret)), el('td', {}, figure((t.result.metrics || {}).bullwhip ?? '–')))))));
  }
  if (r.plots) main.append(el('h2', {}, 'Teams side by side'), pictures(r.plots));
  const known = [...r.policies, ...r.models];
  const options = (seat) => (seat.bot && !known.includes(seat.bot) ? [seat.bot, ...known] : known);
  const finish = async (t) => {
    for (const seat of t.seats) if (seat.model || !seat.bot) await act('bot', { team: t.team, seat: seat.seat, policy: r.stand_in })();
  };
  for (const t of teams) {
    const policies = (seat) => el('select', { 'aria-label': `who plays ${seat.seat} of team ${t.team}`, disabled: t.over, onchange: (event) => act('bot', { team: t.team, seat: seat.seat, policy: event.target.value || null })() },
      el('option', { value: '' }, 'a person'), ...options(seat).map((name) => el('option', { value: name, selected: seat.bot === name }, name)));
    const seats = t.seats.map((seat) => el('tr', {}, el('td', {}, seat.seat), el('td', {}, seat.bot ? (seat.model ? 'model' : 'policy') : seat.name || 'empty'), el('td', {}, t.over ? '' : seat.decided ? 'decided' : '…', seat.fault ? el('small', { class: 'warn' }, ` ${r.unit} ${seat.fault.turn + 1}: the model did not decide (${seat.fault.why}), so ${r.stand_in} did`) : null), el('td', {}, policies(seat)),
      el('td', {}, el('details', {}, el('summary', {}, 'link'), el('code', {}, `${location.origin}/#${seat.token}`)))));
    main.append(el('section', { class: 'team' },
      el('h2', {}, `Team ${t.team}: ${t.over ? 'over' : `${r.unit} ${t.turn + 1}${t.of ? ` of ${t.of}` : ''}`}`),
      el('div', { class: 'scroll' }, el('table', {}, ...seats)),
      t.over ? result(t.result, r.optimum) : el('div', { class: 'row' },
        r.phase === 'lobby' ? null : el('button', { class: 'quiet', onclick: () => confirm(`Let the policy ${r.stand_in} play the rest of the game of team ${t.team} for all people and models? The game ends at once and is scored as a whole.`) && finish(t) }, `let ${r.stand_in} finish this game`),
        el('button', { class: 'quiet', onclick: () => confirm(`End the game of team ${t.team} now? It cannot be continued. What is left of it is forfeited: every ${r.unit} counts as no action at every seat, also at the seats of policies, and the score is that of the whole game. For a fair score, let a policy finish it instead.`) && act('end', { team: t.team })() }, 'end this game')),
      pictures([...t.plots, ...((t.over && r.optimum && r.optimum.plots) || [])])));
  }
  replace(main);
}

async function begin() {
  if (!token) {
    $('message').textContent = 'Open the link that you were given: it ends with a # and a token.';
    return;
  }
  try {
    const who = await call('/api/me');
    if (who.role === 'teacher') {
      listen('/api/teacher/events', (name, data) => {
        if (name === 'room') room.room = data; else room.teams[data.team] = data;
        draw(teacher);
      });
    } else {
      const path = `/api/teams/${who.team}/seats/${who.seat}`;
      listen(`${path}/events`, (name, data) => {
        if (!seen || seen.turn !== data.turn) told = '';
        seen = data;
        seen.at = Date.now();
        draw(() => player(seen, path));
      });
    }
  } catch (error) {
    $('message').textContent = error.message;
    if (!/not one of/.test(error.message)) setTimeout(begin, 1000);
  }
}
addEventListener('hashchange', () => location.reload());
begin();
