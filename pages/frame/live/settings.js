// The sampling settings by name: made from the rows of model/settings.py, changed only there.

export const SETTINGS = {
  temperature: {"neutral": 1.0, "title": "Temperature", "short": "Temp.", "says": "divides every logit: less than 1 sharpens the distribution, more flattens it", "isCommon": true, "slider": {"min": 0, "max": 2, "step": 0.05}},
  top_k: {"neutral": 0, "title": "Top-k", "short": "Top-k", "says": "keeps the k best tokens", "isCommon": true, "slider": "counts"},
  top_p: {"neutral": 1.0, "title": "Top-p", "short": "Top-p", "says": "keeps the best tokens that together reach this probability", "isCommon": true, "slider": {"min": 0.05, "max": 1, "step": 0.01}},
  min_p: {"neutral": 0.0, "title": "Min-p", "short": "Min-p", "says": "keeps the tokens at least this fraction as likely as the best", "isCommon": true, "slider": [0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]},
  typical_p: {"neutral": 1.0, "title": "Typical", "short": "Typical", "says": "keeps the tokens whose surprise is nearest to the entropy, until they reach this mass", "isCommon": false, "slider": {"min": 0.05, "max": 1, "step": 0.01}},
  epsilon: {"neutral": 0.0, "title": "Epsilon", "short": "Epsilon", "says": "drops every token less likely than this", "isCommon": false, "slider": [0.0, 0.0001, 0.0002, 0.0003, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2]},
  eta: {"neutral": 0.0, "title": "Eta", "short": "Eta", "says": "drops what epsilon would, but fewer where the model is undecided", "isCommon": false, "slider": [0.0, 0.0001, 0.0002, 0.0003, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2]},
  top_n_sigma: {"neutral": 0.0, "title": "Top-n-sigma", "short": "Top-n\u03c3", "says": "keeps the tokens within n standard deviations of the best logit", "isCommon": false, "slider": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 2.9, 3.0, 3.1, 3.2, 3.3, 3.4, 3.5, 3.6, 3.7, 3.8, 3.9, 4.0, 4.1, 4.2, 4.3, 4.4, 4.5, 4.6, 4.7, 4.8, 4.9, 5.0, 0]},
  repetition_penalty: {"neutral": 1.0, "title": "Repetition penalty", "short": "Repetition penalty", "says": "weakens every token that is already in the text, prompt included", "isCommon": false, "slider": {"min": 1, "max": 2, "step": 0.05}},
  presence_penalty: {"neutral": 0.0, "title": "Presence penalty", "short": "Presence penalty", "says": "subtracts this from the logit of every token that was generated", "isCommon": false, "slider": {"min": -2, "max": 2, "step": 0.1}},
  frequency_penalty: {"neutral": 0.0, "title": "Frequency penalty", "short": "Frequency penalty", "says": "subtracts this once for each time that a token was generated", "isCommon": false, "slider": {"min": -2, "max": 2, "step": 0.1}},
  dry: {"neutral": 0.0, "title": "DRY", "short": "DRY", "says": "subtracts this, times 1.75 for each further token, where a token would repeat a stretch", "isCommon": false, "slider": {"min": 0, "max": 5, "step": 0.1}},
  xtc: {"neutral": 0.0, "title": "XTC", "short": "XTC", "says": "with this probability drops the top choices (10 % and more) but the least likely of them", "isCommon": false, "slider": {"min": 0, "max": 1, "step": 0.05}},
};
