package ingest

// Statements are the room's SQL, for the test that prepares it.
var Statements = map[string]string{"openRun": openRunSQL, "newRun": newRunSQL, "finishRun": finishRunSQL, "answers": answersSQL, "noWait": noWaitSQL, "answer": answerSQL}
