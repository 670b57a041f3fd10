// Nothing to see: the teacher's browser keeps the key of a room, as long as the room is open.

export default ({ data }) => {
  const path = location.pathname.replace(/[^/]*$/, "");
  const limits = `path=${path}; max-age=${data.seconds}; SameSite=Strict`;
  document.cookie = `${data.name}=${data.value}; ${limits}`;
};
