// The page that the provider sends people back to. It gives the answer to the page that waits for it, and knows no token.
import './style.css';
import { channelOf } from './provider';
import { say as inWords } from './words';

const answer = location.search;
history.replaceState(null, '', location.pathname); // the code is nobody's business who looks at the address or the history

const say = (text: string) => {
  document.getElementById('said')!.textContent = text;
};
const nobody = () => say(inWords('No page waits for this sign-in. Close this window, and sign in from the page at /graphiql.'));

const state = new URLSearchParams(answer).get('state');
if (state) {
  const channel = channelOf(state);
  const late = setTimeout(nobody, 3000);
  channel.onmessage = () => {
    clearTimeout(late);
    channel.close();
    say(inWords('Done. This window can be closed.'));
    window.close();
  };
  channel.postMessage(answer);
} else {
  nobody();
}
