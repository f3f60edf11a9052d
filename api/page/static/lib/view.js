// What every view is made with: preact, its hooks, signals, and htm for markup without a build step.
import { h } from "../vendor/preact.js";
import htm from "../vendor/htm.js";

export { render, Fragment, createRef, Component } from "../vendor/preact.js";
export { useEffect, useLayoutEffect, useRef, useState, useMemo, useCallback, useId } from "../vendor/hooks.js";
export { signal, computed, effect, batch, untracked, useSignal, useComputed, useSignalEffect } from "../vendor/signals.js";
export const html = htm.bind(h);
