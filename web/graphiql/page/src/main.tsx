import './nonce';
import './style.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App';

// A page that the browser kept alive while the user was elsewhere would still be signed in when they come back.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});

createRoot(document.getElementById('page')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
