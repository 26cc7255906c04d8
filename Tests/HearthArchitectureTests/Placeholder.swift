// The layering and tidiness tests come here.
